// The URL of a proxy in environment variables, options and kubeconfig files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

enum class ProxyScheme {
  http,     ///< a tunnel by CONNECT
  https,    ///< the same, over TLS
  socks5,   ///< RFC 1928; the host's address is looked up here
  socks5h,  ///< the proxy looks it up
};

class ProxyUrl {
 public:
  ProxyUrl() {}
  /// `SCHEME://[USER[:PASSWORD]@]HOST[:PORT]`, without a scheme http; user and password percent-encoded. The port is 80, 443 or 1080 by
  /// default. `from` names the source of the text. Errors: invalid_argument, never with the text: it may contain a password.
  static Result<ProxyUrl> parse(std::string_view text, std::string_view from);

  bool is_socks() const noexcept { return scheme == ProxyScheme::socks5 || scheme == ProxyScheme::socks5h; }
  bool has_credentials() const noexcept { return !user.empty(); }
  /// `http://HOST:PORT`: safe to print.
  std::string shown() const;

  ProxyScheme scheme = ProxyScheme::http;
  std::string host;  ///< without brackets
  std::uint16_t port = 0;
  std::string user;  ///< decoded; empty: no credentials
  Secret<std::string> password;
  std::string from;  ///< for messages
  /// For messages: what lets a host be reached without it. A setting of one server's has no exceptions.
  std::string_view way_without = "NO_PROXY";
};

}  // namespace rollcall
