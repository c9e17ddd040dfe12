// A client's side of SOCKS5 up to the open tunnel: RFC 1928, and RFC 1929 for users and passwords. What is said when, and what the
// proxy's answers mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/proxy_url.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class Socks5 {
 public:
  /// `host`: what the proxy is to connect to, an address or a name. `proxy` must outlive this.
  Socks5(const ProxyUrl& proxy, std::string host, std::uint16_t port);

  /// What is sent first.
  std::string greeting() const;
  /// Takes what the proxy said and returns what is sent next, a secret at times; empty: more is awaited, or the tunnel stands.
  /// Errors: unauthenticated (it wants other credentials, or some), permission_denied (its rules), unreachable (it could not connect),
  /// unimplemented (it cannot do what was asked), malformed_response, invalid_argument (the host's name is too long).
  Result<Secret<std::string>> put(std::string_view bytes);
  bool is_open() const noexcept { return step_ == Step::open; }

 private:
  enum class Step { method, credentials, connected, open };
  std::size_t needed() const noexcept;
  Result<Secret<std::string>> take();
  Result<Secret<std::string>> request();

  const ProxyUrl& proxy_;
  std::string host_;
  std::uint16_t port_;
  Step step_ = Step::method;
  std::string answer_;
};

}  // namespace rollcall
