// The cloud on sockets: the HTTP server's handler, gRPC for the workers, and the ports of Slurm nodes.
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

/// The context of all exchanges, which must outlive them.
class ServerContext {
 public:
  ServerContext(std::shared_ptr<Cloud> served, std::shared_ptr<TimerQueue> queue) : cloud(std::move(served)), timers(std::move(queue)) {}
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<TimerQueue> timers;
};

/// Ends when the answer, with its fault, has been sent, when the client has disconnected, or on cancellation.
asio::awaitable<void> serve(std::shared_ptr<ServerContext> context, ServerExchange& exchange);

/// Workers at loopback addresses (127.0.0.0/8, ::1) are served there, by a listener each, which is open exactly while the
/// worker runs by the script. All others share one port, where the call's :authority selects the worker. A connection to the shared
/// port is never refused: a call to a stopped worker ends with UNAVAILABLE.
class GrpcServer {
 public:
  /// Starts gRPC and its threads. Errors: failed_precondition naming the address that is not available.
  static Result<std::unique_ptr<GrpcServer>> start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                   std::shared_ptr<TimerQueue> timers, std::string shared_ip);
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  std::uint16_t shared_port() const noexcept;  // 0 if no worker needs it
  /// `HOST:PORT:IP:PORT` for the workers behind the shared port.
  const std::vector<std::string>& connect_to() const noexcept;
  /// Fails all calls, closes the listeners, and waits until gRPC's threads no longer use them. Idempotent.
  void stop();

 private:
  class Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The slurmd of Slurm nodes at loopback addresses: a listener each, which is open exactly while the node answers by the script. It takes
/// connections and closes them, which is all that a look at the port needs.
class SlurmdPorts {
 public:
  /// Errors: failed_precondition naming the address that is not available; limit_exceeded.
  static Result<std::unique_ptr<SlurmdPorts>> start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                    std::shared_ptr<TimerQueue> timers);
  ~SlurmdPorts();
  SlurmdPorts(const SlurmdPorts&) = delete;
  SlurmdPorts& operator=(const SlurmdPorts&) = delete;
  /// Closes the listeners. Idempotent.
  void stop();

 private:
  class Impl;
  explicit SlurmdPorts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall::sim
