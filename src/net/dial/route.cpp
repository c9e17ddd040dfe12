#include "net/dial/route.hpp"

namespace rollcall {

RouteFinder::RouteFinder(const NetworkOptions& network)
    : connect_to_(network.connect_to), settings_(network.proxy.value_or(ProxySettings())), exceptions_(settings_.exceptions) {}

bool RouteFinder::takes_proxy(const Url& url, const ExchangeOptions& options, const ServerAccess* access) const {
  const bool has_own = access && !access->proxy.empty();
  // Plain http goes to its server directly: through a proxy it needs another form of request.
  if (!url.is_https || !options.allow_proxy || (!has_own && settings_.url.empty())) return false;
  // A server's own proxy setting is used even for excepted hosts.
  if (!has_own && exceptions_.has(url.host, url.port)) return false;
  const Destination to = apply_connect_to(connect_to_, url.host, url.port);
  if (has_own && access->proxies_near_hosts && to.host == url.host) return true;
  return !is_near_host(url.host) && !is_near_host(to.host);
}

Result<Route> RouteFinder::find(const Url& url, const ExchangeOptions& options, const ServerAccess* access) const {
  Route route(apply_connect_to(connect_to_, url.host, url.port));
  if (!takes_proxy(url, options, access)) return route;
  const bool has_own = access && !access->proxy.empty();
  Result<ProxyUrl> proxy =
      has_own ? ProxyUrl::parse(access->proxy.reveal(), access->proxy_from) : ProxyUrl::parse(settings_.url.reveal(), settings_.from);
  if (proxy.has_error()) return proxy.error();
  if (has_own) proxy->way_without = "leave that setting out: NO_PROXY is not for it";
  route.proxy = std::move(*proxy);
  return route;
}

}  // namespace rollcall
