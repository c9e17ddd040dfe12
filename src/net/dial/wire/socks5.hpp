// The client side of SOCKS5 up to the open tunnel: RFC 1928, and RFC 1929 for users and passwords. A state machine: messages in, messages
// out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/proxy_url.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class Socks5 {
 public:
  /// `host`: the proxy's destination, an address or a name. `proxy` must outlive this.
  Socks5(const ProxyUrl& proxy, std::string host, std::uint16_t port);

  /// The first message to send.
  std::string greeting() const;
  /// Takes received bytes and returns the next message to send, which may contain a secret; empty: more bytes are needed, or the tunnel is
  /// open. Errors: unauthenticated (it requires other credentials, or some), permission_denied (its rules), unreachable (it could not
  /// connect), unimplemented (it does not support the command), malformed_response, invalid_argument (the host's name is too long).
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
