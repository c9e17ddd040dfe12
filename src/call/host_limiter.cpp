#include "call/host_limiter.hpp"

#include <algorithm>

namespace rollcall {
namespace {

constexpr double min_window = 4;

}  // namespace

HostPermit HostLimiter::try_acquire() noexcept {
  if (!queue_.empty() || !is_free()) return {};
  ++in_flight_;
  return HostPermit(shared_from_this());
}

asio::awaitable<HostPermit> HostLimiter::acquire() {
  HostPermit permit = try_acquire();
  if (permit) co_return permit;
  // The frame may be destroyed while it waits (its io_context is destroyed): the entry unlinks itself then.
  class Entry : public Waiting {
   public:
    explicit Entry(std::shared_ptr<HostLimiter> limiter) : limiter_(std::move(limiter)) {
      limiter_->queue_.push_back(*this);
      limiter_->admit();
    }
    ~Entry() {
      if (!is_linked()) return;
      limiter_->queue_.erase(limiter_->queue_.iterator_to(*this));
      if (limiter_->queue_.empty()) limiter_->reopening_.cancel();
    }

   private:
    const std::shared_ptr<HostLimiter> limiter_;
  };
  Entry entry(shared_from_this());
  const bool woken = co_await entry.event.wait();
  if (woken) permit = std::move(entry.permit);  // otherwise a permit that was granted in the same turn is given back
  co_return permit;
}

void HostLimiter::release() noexcept {
  --in_flight_;
  admit();
}

void HostLimiter::admit() noexcept {
  while (!queue_.empty() && is_free()) {
    Waiting& first = queue_.front();
    queue_.pop_front();
    ++in_flight_;
    first.permit = HostPermit(shared_from_this());
    first.event.wake();
  }
  if (queue_.empty()) {
    reopening_.cancel();
  } else if (is_paused()) {
    reopening_.set(*timers_, paused_until_, [](void* self) noexcept { static_cast<HostLimiter*>(self)->admit(); }, this);
  }
}

void HostLimiter::note_rate_limit(std::shared_ptr<TimerQueue> timers, SteadyTime until) noexcept {
  timers_ = std::move(timers);
  if (!is_paused()) window_ = std::min(window_, std::max(min_window, window_ / 2));
  paused_until_ = std::max(paused_until_, until);
  admit();
}

void HostLimiter::speed_up() noexcept {
  const double permits = static_cast<double>(permits_);
  if (window_ >= permits) return;
  window_ = std::min(permits, window_ + 1 / window_);
  admit();
}

}  // namespace rollcall
