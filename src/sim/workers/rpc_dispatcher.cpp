#include "sim/workers/rpc_dispatcher.hpp"

#include <asio/post.hpp>
#include <vector>

namespace rollcall::sim {

RpcDispatcher::RpcDispatcher(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimerQueue> timers, asio::any_io_executor executor,
                             Answer answer)
    : cloud_(std::move(cloud)), timers_(std::move(timers)), executor_(std::move(executor)), answer_(std::move(answer)) {
  subscription_ = cloud_->subscribe([this] { ask_all(); });
}

void RpcDispatcher::begin(std::uint64_t id, RpcRequest request) {
  if (is_closed_) return;
  Waiting& waiting = waiting_[id];
  waiting.dispatcher = this;
  waiting.id = id;
  waiting.request = std::move(request);
  ask(id);
}

void RpcDispatcher::close() {
  is_closed_ = true;
  waiting_.clear();
}

void RpcDispatcher::ask(std::uint64_t id) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end()) return;
  Waiting& waiting = at->second;
  RpcReply reply = cloud_->handle_rpc(waiting.request, timers_->now(), waiting.held);
  if (!reply.hold) {
    waiting_.erase(at);
    return answer_(id, std::move(reply));
  }
  waiting.held = std::move(reply.hold);
  const auto ring = [](void* context) noexcept {
    const Waiting& rung = *static_cast<Waiting*>(context);
    rung.dispatcher->ask(rung.id);
  };
  waiting.timer.set(*timers_, waiting.held->ask_again, ring, &waiting);
}

// The cloud may report a change while it answers a call, so the other calls are asked for in a later turn.
void RpcDispatcher::ask_all() {
  if (is_asking_all_ || waiting_.empty()) return;
  is_asking_all_ = true;
  asio::post(executor_, [dispatcher = shared_from_this()] {
    dispatcher->is_asking_all_ = false;
    std::vector<std::uint64_t> ids;
    for (const auto& [id, waiting] : dispatcher->waiting_) ids.push_back(id);
    for (const std::uint64_t id : ids) dispatcher->ask(id);
  });
}

}  // namespace rollcall::sim
