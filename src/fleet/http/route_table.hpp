// The paths of the HTTP interface: one row for each, with its methods and its page.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "fleet/entry/refusal.hpp"
#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class Route {
 public:
  enum class Methods { get, post, put };  ///< `get`: GET and HEAD
  /// A sum of these.
  enum Traits : unsigned {
    exact = 0,
    below = 1,                ///< the path, which ends with a slash, and everything below it
    takes_parameters = 2,     ///< otherwise a query is answered by 400
    needs_no_client = 4,      ///< the same for all, and for those that watch over the service: clients need not authenticate
    authenticates_itself = 8  ///< the page authenticates the client
  };
  Route(std::string_view at, Methods answered, unsigned has) : path(at), methods(answered), traits(has) {}

  bool has(Traits trait) const noexcept { return (traits & trait) != 0; }
  bool takes(std::string_view method) const noexcept;
  /// `GET, HEAD`: the value of the Allow header.
  std::string_view allow() const noexcept { return methods == Methods::get ? "GET, HEAD" : methods == Methods::post ? "POST" : "PUT"; }
  Refusal refusal_of_method(std::string_view method) const;

  std::string_view path;  ///< a literal; the label of the metrics and the log
  Methods methods;
  unsigned traits;
  std::string_view argument;  ///< of a path with `below`: what hints name behind it; empty: hints do not name the path
  std::size_t max_body = 0;   ///< bytes of a request's body that are read; 0: none
  std::unique_ptr<Page> page;
};

class RouteTable {
 public:
  Route& add(Route route, std::unique_ptr<Page> page);
  /// `path`: without a query. Null: no route.
  const Route* find(std::string_view path) const noexcept;
  /// 404, with the nearest path.
  Refusal refusal_of_path(std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace rollcall::fleet
