#include "sim/workers/rpc_desk.hpp"

#include <asio/post.hpp>
#include <vector>

namespace rollcall::sim {

RpcDesk::RpcDesk(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimerQueue> timers, asio::any_io_executor executor, Answer answer)
    : cloud_(std::move(cloud)), timers_(std::move(timers)), executor_(std::move(executor)), answer_(std::move(answer)) {
  subscription_ = cloud_->subscribe([this] { ask_all(); });
}

void RpcDesk::begin(std::uint64_t id, RpcRequest request) {
  if (is_closed_) return;
  Waiting& waiting = waiting_[id];
  waiting.desk = this;
  waiting.id = id;
  waiting.request = std::move(request);
  ask(id);
}

void RpcDesk::close() {
  is_closed_ = true;
  waiting_.clear();
}

void RpcDesk::ask(std::uint64_t id) {
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
    rung.desk->ask(rung.id);
  };
  waiting.timer.set(*timers_, waiting.held->ask_again, ring, &waiting);
}

// The cloud tells of a change while it answers somebody: the others are asked for afterwards.
void RpcDesk::ask_all() {
  if (is_asking_all_ || waiting_.empty()) return;
  is_asking_all_ = true;
  asio::post(executor_, [desk = shared_from_this()] {
    desk->is_asking_all_ = false;
    std::vector<std::uint64_t> ids;
    for (const auto& [id, waiting] : desk->waiting_) ids.push_back(id);
    for (const std::uint64_t id : ids) desk->ask(id);
  });
}

}  // namespace rollcall::sim
