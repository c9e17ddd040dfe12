#include "readiness/status_board.hpp"

namespace rollcall {

void StatusBoard::wake() {
  has_news_ = true;
  if (reader_) reader_->wake();
}

void StatusBoard::report(ClusterStatus status) {
  trouble_.clear();
  latest_ = std::move(status);
  has_seen_ = true;
  wake();
}

void StatusBoard::report_trouble(const Failure& failure) {
  trouble_ = failure.what();
  wake();
}

void StatusBoard::report_notice(const Notice& notice) {
  constexpr std::size_t most = 1000;
  if (notices_.size() == most) notices_.erase(notices_.begin());
  notices_.push_back(notice);
  wake();
}

asio::awaitable<bool> StatusBoard::wait(TimerQueue& timers, SteadyTime when) {
  bool is_awake = true;
  if (!has_news_) {
    Waiter waiter;
    reader_ = &waiter;
    Timer timer;
    timer.set(timers, when, [](void* context) noexcept { static_cast<Waiter*>(context)->wake(); }, &waiter);
    is_awake = co_await waiter.wait();
    reader_ = nullptr;
  }
  if (is_awake) has_news_ = false;  // else the next wait() finds what was reported meanwhile
  co_return is_awake;
}

}  // namespace rollcall
