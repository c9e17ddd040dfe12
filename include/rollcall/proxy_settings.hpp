// Which proxy leads to servers of https, and to which of them none does.
#pragma once

#include <string>
#include <utility>

#include "rollcall/environment.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

/// `http://` and `https://` proxies are asked for a tunnel by CONNECT, the latter over TLS; `socks5://` ones are told the address of a
/// host, `socks5h://` ones its name. Whatever is set, no proxy leads to this machine, to link-local addresses or to a metadata server.
class ProxySettings {
 public:
  /// No proxy.
  ProxySettings() {}
  /// `proxy_url`: `SCHEME://[USER:PASSWORD@]HOST[:PORT]`, user and password percent-encoded; without a scheme it is http. `except`: as
  /// `exceptions`. What is wrong with the URL is said by each request that would need the proxy (invalid_argument, without the text).
  explicit ProxySettings(std::string proxy_url, std::string except = {}) : url(std::move(proxy_url)), exceptions(std::move(except)) {}

  /// As `https_proxy` or `HTTPS_PROXY`, else `all_proxy` or `ALL_PROXY` says, but for the hosts in `no_proxy` or `NO_PROXY`. Lower case
  /// comes first, and an empty variable is an unset one, as for curl. `HTTP_PROXY` is for plain http, which takes no proxy here.
  static ProxySettings from_environment(const Environment& environment);
  /// `proxy_url`, as the constructor has it, but for the hosts in `no_proxy` or `NO_PROXY`; `named_by` goes into messages.
  static ProxySettings given(std::string proxy_url, std::string named_by, const Environment& environment);

  Secret<std::string> url;  ///< empty: no proxy
  /// Hosts that are reached directly, in NO_PROXY's form, with commas or blanks in between: `example.com` and `.example.com` (it and
  /// every name below it), addresses, `10.0.0.0/8`, `fd00::/8`, any of these but networks with `:PORT`, and `*` (every host).
  std::string exceptions;
  std::string from = "NetworkOptions::proxy";  ///< where the URL comes from, for messages
};

}  // namespace rollcall
