// The client's TLS handshake over a connected stream, its steps admitted by a LoopThrottle.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>

#include "net/socket/dial_step.hpp"
#include "net/socket/loop_throttle.hpp"
#include "net/socket/stream.hpp"
#include "net/tls/tls_context.hpp"

namespace rollcall {

class HandshakeWith {
 public:
  HandshakeWith(std::shared_ptr<TlsContext> tls, std::shared_ptr<LoopThrottle> admission, std::string server_host,
                std::uint16_t server_port)
      : context(std::move(tls)), throttle(std::move(admission)), host(std::move(server_host)), port(server_port) {}
  std::shared_ptr<TlsContext> context;
  std::shared_ptr<LoopThrottle> throttle;
  std::string host;  ///< the name to be verified, independent of the socket's address
  std::uint16_t port;
  bool offers_http2 = false;  ///< besides HTTP/1.1
  std::string authorities_from;  ///< source of the trust anchors, for messages; empty: the system's
};

/// Over `stream`, plain or TLS to a proxy, and within `step`. Errors: tls_failed, unreachable, and those of `step`.
asio::awaitable<Result<Stream>> shake_hands(HandshakeWith with, Stream stream, DialStep& step);

}  // namespace rollcall
