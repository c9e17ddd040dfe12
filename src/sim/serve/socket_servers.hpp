// The cloud on sockets: what an HTTP server does with a request, and gRPC for the workers.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "async/timer_queue.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/sim/cloud.hpp"

namespace rollcall::sim {

/// What an exchange needs; shared by all, outlives each.
class ServerContext {
 public:
  ServerContext(std::shared_ptr<Cloud> served, std::shared_ptr<TimerQueue> queue) : cloud(std::move(served)), timers(std::move(queue)) {}
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<TimerQueue> timers;
};

/// Ends when the answer, or what the script makes of it, has been delivered, when the client is gone, or at cancellation.
asio::awaitable<void> serve(std::shared_ptr<ServerContext> context, ServerExchange& exchange);

/// Workers at addresses of this machine (127.0.0.0/8, ::1) are served there, by a listener each, that is open exactly while the
/// script says that they run. All others share one port, which tells them apart by the call's :authority. There no connection can
/// be refused: what a refused one would be ends with UNAVAILABLE.
class GrpcServer {
 public:
  /// Starts gRPC, and with it gRPC's own threads. Errors: failed_precondition naming the address that cannot be had.
  static Result<std::unique_ptr<GrpcServer>> start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                   std::shared_ptr<TimerQueue> timers, std::string shared_ip);
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  std::uint16_t shared_port() const noexcept;  // 0: no worker needs it
  /// `HOST:PORT:IP:PORT` for the workers behind the shared port.
  const std::vector<std::string>& connect_to() const noexcept;
  /// Fails what is under way, closes the listeners and waits for gRPC's threads to be done with them; idempotent.
  void stop();

 private:
  class Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall::sim
