#include "fleet/http/route_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace rollcall::fleet {

bool Route::takes(std::string_view method) const noexcept {
  return methods == Methods::get ? method == "GET" || method == "HEAD" : method == allow();
}

Refusal Route::refusal_of_method(std::string_view method) const {
  return Refusal(405, Failure(Errc::invalid_argument, fmt::format("{} does not take {}", path, quoted(method, 32)))
                          .with_hint(methods == Methods::get ? std::string("ask by GET or HEAD") : fmt::format("ask by {}", allow())));
}

Route& RouteTable::add(Route route, std::unique_ptr<Page> page) {
  route.page = std::move(page);
  routes_.push_back(std::move(route));
  return routes_.back();
}

const Route* RouteTable::find(std::string_view path) const noexcept {
  const auto found = std::find_if(routes_.begin(), routes_.end(), [path](const Route& route) {
    return route.has(Route::below) ? path.starts_with(route.path) : path == route.path;
  });
  return found == routes_.end() ? nullptr : &*found;
}

Refusal RouteTable::refusal_of_path(std::string_view path) const {
  std::vector<std::string_view> exact_paths;
  std::vector<std::string> all;
  for (const Route& route : routes_) {
    if (!route.has(Route::below)) exact_paths.push_back(route.path);
    if (!route.has(Route::below) || !route.argument.empty()) all.push_back(fmt::format("{}{}", route.path, route.argument));
  }
  const auto meant = nearest(path, exact_paths);
  std::string hint = meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(all, ", "));
  return Refusal(404, Failure(Errc::not_found, fmt::format("there is no {}", quoted(path, 80))).with_hint(std::move(hint)));
}

}  // namespace rollcall::fleet
