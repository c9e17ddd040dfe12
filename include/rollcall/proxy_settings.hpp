// The proxy that is used for https, and the hosts that are reached without it.
#pragma once

#include <string>
#include <utility>

#include "rollcall/environment.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

/// `http://` and `https://` proxies get a CONNECT request, the latter over TLS; `socks5://` proxies get the address of a host, `socks5h://`
/// proxies its name. This machine, link-local addresses and metadata servers are always reached directly.
class ProxySettings {
 public:
  /// No proxy.
  ProxySettings() {}
  /// `proxy_url`: `SCHEME://[USER:PASSWORD@]HOST[:PORT]`, user and password percent-encoded; without a scheme it is http. `except`: as
  /// `exceptions`. A fault in the URL is reported by each request that would need the proxy (invalid_argument, without the text).
  explicit ProxySettings(std::string proxy_url, std::string except = {}) : url(std::move(proxy_url)), exceptions(std::move(except)) {}

  /// The proxy of `https_proxy` or `HTTPS_PROXY`, else of `all_proxy` or `ALL_PROXY`, except for the hosts in `no_proxy` or `NO_PROXY`.
  /// Lower case comes first, and an empty variable is an unset one, as for curl. `HTTP_PROXY` is for plain http, which uses no proxy here.
  static ProxySettings from_environment(const Environment& environment);
  /// `proxy_url` as in the constructor, except for the hosts in `no_proxy` or `NO_PROXY`; `named_by` is used in messages.
  static ProxySettings given(std::string proxy_url, std::string named_by, const Environment& environment);

  Secret<std::string> url;  ///< empty: no proxy
  /// Hosts that are reached directly, in NO_PROXY's form, separated by commas or blanks: `example.com` and `.example.com` (it and every
  /// name below it), addresses, `10.0.0.0/8`, `fd00::/8`, any of these except networks with `:PORT`, and `*` (every host).
  std::string exceptions;
  std::string from = "NetworkOptions::proxy";  ///< the source of the URL, for messages
};

}  // namespace rollcall
