// One request of a socket answered by a Cloud, faults included.
#pragma once

#include <asio/awaitable.hpp>

#include "async/timer_queue.hpp"
#include "rollcall/sim/cloud.hpp"
#include "sim/http/http_server.hpp"

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

}  // namespace rollcall::sim
