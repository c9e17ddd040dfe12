// The route of a dial: to the server, or through a proxy.
#pragma once

#include <optional>

#include "base/proxy_url.hpp"
#include "net/dial/connect_to.hpp"
#include "net/dial/rules/no_proxy.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

class Route {
 public:
  explicit Route(Destination server) : to(std::move(server)) {}
  /// The destination of the socket.
  Destination first() const { return proxy ? Destination(proxy->host, proxy->port) : to; }
  Destination to;  ///< by the connect-to map
  std::optional<ProxyUrl> proxy;
};

/// The routes of one transport.
class RouteFinder {
 public:
  explicit RouteFinder(const NetworkOptions& network);

  /// True if `url` is reached through a proxy, usable or not: one that is set here or in `access`, for https, unless `options`,
  /// is_near_host() or the exceptions exclude it. Cheap where no proxy is set.
  bool takes_proxy(const Url& url, const ExchangeOptions& options, const ServerAccess* access) const;
  /// Errors: invalid_argument (the proxy's URL).
  Result<Route> find(const Url& url, const ExchangeOptions& options, const ServerAccess* access) const;

 private:
  std::vector<ConnectTo> connect_to_;
  ProxySettings settings_;
  NoProxy exceptions_;
};

}  // namespace rollcall
