// What an HTTP server does with a request, without sockets and on any clock: an HttpTransport whose other end is a handler. For tests in
// virtual time.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>

#include "net/server/http_server.hpp"
#include "rollcall/http.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::sim {

/// Requests and answers travel as the bytes that a socket would carry, and are refused where the server and the client would refuse them. A
/// request has a connection of its own, which takes 64 kB that the client has not read: a handler that writes more waits. Deadlines,
/// response time-outs, size limits and cancellation are honoured; a client that ends early is gone for the handler, as one that closes its
/// socket.
class HandlerTransport : public HttpTransport {
 public:
  /// While on, no connection is taken: Errc::unreachable in the phase connect. What is under way goes on.
  virtual void refuse(bool on) = 0;
  /// Every connection ends where it is, as with a server that dies: clients get what was written so far and then Errc::unreachable; for the
  /// handlers the clients are gone.
  virtual void break_all() = 0;
  /// Calls of send() and open() so far.
  virtual std::uint64_t calls() const = 0;
  /// Handlers that have not returned.
  virtual std::size_t in_flight() const = 0;
};

/// `executor` must be serial; every call is made on it, and so are the handlers'. Destroying the transport cancels the handlers.
std::shared_ptr<HandlerTransport> make_handler_transport(asio::any_io_executor executor, HttpServer::Handler handler,
                                                         std::shared_ptr<TimeSource> time);

}  // namespace rollcall::sim
