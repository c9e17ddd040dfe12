// The case's gRPC servers on one loopback port, distinguished by the :authority of a call; and the client's transport to it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>

#include "async/timer_queue.hpp"
#include "conformance/grpc_script.hpp"
#include "conformance/traffic.hpp"

namespace rollcall::conformance {

class GrpcService {
 public:
  /// All must outlive the service. Listens only if the case has `grpc` entries.
  GrpcService(asio::any_io_executor executor, GrpcScript& script, Traffic& traffic, std::shared_ptr<TimerQueue> timers, bool is_needed);
  ~GrpcService();
  GrpcService(const GrpcService&) = delete;
  GrpcService& operator=(const GrpcService&) = delete;

  std::uint16_t port() const noexcept;
  /// Ends all calls in flight.
  void stop();

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Passes calls on and marks them as in flight.
std::shared_ptr<RpcTransport> make_watched_transport(std::shared_ptr<RpcTransport> inner, Traffic& traffic);

}  // namespace rollcall::conformance
