#include "readiness/latest_status.hpp"

namespace rollcall {

void LatestStatus::wake() {
  has_news_ = true;
  if (reader_) reader_->wake();
}

void LatestStatus::report(ClusterStatus status) {
  trouble_.clear();
  latest_ = std::move(status);
  has_seen_ = true;
  wake();
}

void LatestStatus::report_trouble(const Failure& failure) {
  trouble_ = failure.what();
  wake();
}

void LatestStatus::report_notice(const Notice& notice) {
  constexpr std::size_t most = 1000;
  if (notices_.size() == most) notices_.erase(notices_.begin());
  notices_.push_back(notice);
  wake();
}

asio::awaitable<bool> LatestStatus::wait(TimerQueue& timers, SteadyTime when) {
  bool is_awake = true;
  if (!has_news_) {
    AsyncEvent waiter;
    reader_ = &waiter;
    Timer timer;
    timer.set(timers, when, [](void* context) noexcept { static_cast<AsyncEvent*>(context)->wake(); }, &waiter);
    is_awake = co_await waiter.wait();
    reader_ = nullptr;
  }
  if (is_awake) has_news_ = false;  // else the next wait() finds what was reported meanwhile
  co_return is_awake;
}

}  // namespace rollcall
