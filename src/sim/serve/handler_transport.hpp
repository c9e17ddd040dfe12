// An HttpTransport whose requests are served by a handler of an HTTP server, without sockets and with any clock. For tests in
// virtual time.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>

#include "net/server/http_server.hpp"
#include "rollcall/http.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::sim {

/// Requests and answers travel as the bytes of a socket, and are refused in the same cases as by the real server and client. Each
/// request has its own connection with a buffer of 64 kB: a handler that writes more waits for the client. Deadlines,
/// response time-outs, size limits and cancellation apply. A client that ends early looks to the handler like a closed
/// socket.
class HandlerTransport : public HttpTransport {
 public:
  /// While on, new connections fail with Errc::unreachable in the phase connect. Open connections continue.
  virtual void refuse(bool on) = 0;
  /// Cuts all connections, as if the server died: clients get the bytes written so far and then Errc::unreachable; for the
  /// handlers the clients have disconnected.
  virtual void break_all() = 0;
  /// Calls of send() and open() so far.
  virtual std::uint64_t calls() const = 0;
  /// Number of handlers that have not returned.
  virtual std::size_t in_flight() const = 0;
};

/// `executor` must be serial. Clients must call on it, and handlers run on it. Destroying the transport cancels the handlers.
std::shared_ptr<HandlerTransport> make_handler_transport(asio::any_io_executor executor, HttpServer::Handler handler,
                                                         std::shared_ptr<TimeSource> time);

}  // namespace rollcall::sim
