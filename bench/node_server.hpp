// The peer of the benchmarks: a process of its own that answers nodes.get for any name (or with a given answer), after a delay, and counts.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "net/server/http_server.hpp"
#include "node_bytes.hpp"
#include "sim/serve/authority.hpp"

namespace bench {

inline std::string node_answer(const rollcall::ServerRequest& request) {
  const std::string_view target = request.target;
  return node_json(target.substr(target.rfind('/') + 1));
}

/// Forked before anything else of the program runs; ended and counted by stop().
class NodeServer {
 public:
  using Body = std::string (*)(const rollcall::ServerRequest& request);

  /// With `authority` it speaks TLS.
  explicit NodeServer(std::chrono::milliseconds delay, Body body = node_answer, rollcall::sim::Authority* authority = nullptr) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      ::close(sockets[0]);
      serve(sockets[1], delay, body, authority);
      _exit(0);
    }
    ::close(sockets[1]);
    control_ = sockets[0];
    if (read(control_, &port_, sizeof port_) != sizeof port_) std::abort();
  }
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;
  ~NodeServer() {
    if (child_ > 0) stop();
  }

  std::uint16_t port() const { return port_; }
  /// Ends the server; returns its number of requests.
  std::uint64_t stop() {
    std::uint64_t requests = 0;
    shutdown(control_, SHUT_WR);
    if (read(control_, &requests, sizeof requests) != sizeof requests) requests = 0;
    ::close(control_);
    waitpid(child_, nullptr, 0);
    child_ = 0;
    return requests;
  }

 private:
  static asio::awaitable<void> answer(rollcall::ServerExchange& exchange, std::chrono::milliseconds delay, Body body) {
    rollcall::HttpResponse response;
    response.status = 200;
    response.headers.add("Content-Type", "application/json; charset=UTF-8");
    response.body = body(exchange.request());
    if (delay.count() > 0) {
      const auto executor = co_await asio::this_coro::executor;
      asio::steady_timer timer(executor, delay);
      co_await timer.async_wait(asio::use_awaitable);
    }
    const bool sent = co_await exchange.reply(response);
    static_cast<void>(sent);
  }

  static void serve(int control, std::chrono::milliseconds delay, Body body, rollcall::sim::Authority* authority) {
    asio::io_context io(1);
    rollcall::HttpServer server(io.get_executor(),
                                [delay, body](rollcall::ServerExchange& exchange) { return answer(exchange, delay, body); });
    rollcall::HttpServer::TlsChooser tls;
    if (authority) tls = [authority](std::string_view name) { return authority->context_for(name); };
    const auto port = server.listen("127.0.0.1", 0, std::move(tls));
    if (!port || write(control, &*port, sizeof *port) != sizeof *port) return;
    asio::posix::stream_descriptor parent(io, control);
    parent.async_wait(asio::posix::stream_descriptor::wait_read, [&](const std::error_code&) {
      const std::uint64_t requests = server.requests();
      if (write(parent.native_handle(), &requests, sizeof requests) < 0) std::perror("bench server");
      io.stop();
    });
    io.run();
  }

  pid_t child_ = 0;
  int control_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace bench
