// Holds calls until their responses are ready. Independent of gRPC, which is in the server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "async/timer_queue.hpp"
#include "rollcall/sim/cloud.hpp"

namespace rollcall::sim {

/// All functions must run on the queue's executor.
class RpcDispatcher : public std::enable_shared_from_this<RpcDispatcher> {
 public:
  using Answer = std::function<void(std::uint64_t id, RpcReply reply)>;  // must not call the dispatcher
  RpcDispatcher(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimerQueue> timers, asio::any_io_executor executor, Answer answer);

  /// Asks the cloud. The answer is given once, at once or later. `id` is chosen by the caller.
  void begin(std::uint64_t id, RpcRequest request);
  /// Drops a call whose answer is no longer needed.
  void forget(std::uint64_t id) { waiting_.erase(id); }
  /// Drops all calls. Later calls are not answered.
  void close();

 private:
  struct Waiting {
    RpcDispatcher* dispatcher = nullptr;
    std::uint64_t id = 0;
    RpcRequest request;
    std::optional<RpcHeld> held;
    Timer timer;
  };
  void ask(std::uint64_t id);
  void ask_all();

  std::shared_ptr<Cloud> cloud_;
  std::shared_ptr<TimerQueue> timers_;
  asio::any_io_executor executor_;
  Answer answer_;
  std::map<std::uint64_t, Waiting> waiting_;
  bool is_asking_all_ = false;
  bool is_closed_ = false;
  std::shared_ptr<void> subscription_;
};

}  // namespace rollcall::sim
