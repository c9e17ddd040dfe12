#include "call/host_limiter.hpp"

#include <algorithm>

namespace rollcall {
namespace {

constexpr double least_window = 4;

}  // namespace

asio::awaitable<bool> HostLimiter::enter() {
  // The frame may be destroyed while it waits (its io_context goes): the entry unlinks itself then.
  struct Linked : Entry {
    explicit Linked(HostLimiter& g) : gate(g) {
      gate.queue_.push_back(*this);
      gate.admit();
    }
    ~Linked() {
      if (!is_linked()) return;
      gate.queue_.erase(gate.queue_.iterator_to(*this));
      if (gate.queue_.empty()) gate.reopening_.cancel();
    }
    HostLimiter& gate;
  };
  Linked entry(*this);
  const bool woken = co_await entry.waiter.wait();
  if (woken) co_return true;
  if (entry.is_granted) leave();  // granted and cancelled in the same turn: pass the place on
  co_return false;
}

void HostLimiter::leave() noexcept {
  --in_flight_;
  admit();
}

void HostLimiter::admit() noexcept {
  while (!queue_.empty() && has_place()) {
    Entry& first = queue_.front();
    queue_.pop_front();
    ++in_flight_;
    first.is_granted = true;
    first.waiter.wake();
  }
  if (queue_.empty()) {
    reopening_.cancel();
  } else if (is_paused()) {
    reopening_.set(*timers_, paused_until_, [](void* self) noexcept { static_cast<HostLimiter*>(self)->admit(); }, this);
  }
}

void HostLimiter::note_rate_limit(TimerQueue& timers, SteadyTime until) noexcept {
  timers_ = &timers;
  if (!is_paused()) window_ = std::min(window_, std::max(least_window, window_ / 2));
  paused_until_ = std::max(paused_until_, until);
  admit();
}

void HostLimiter::speed_up() noexcept {
  const double places = static_cast<double>(places_);
  if (window_ >= places) return;
  window_ = std::min(places, window_ + 1 / window_);
  admit();
}

}  // namespace rollcall
