// Per host: permits for requests in flight, the queue for them, and the retry budget.
//
// Decision: a host that rate-limits (429, Compute's 403) gets a pause from all requests, not only from the limited one: no request of this
// Runtime is sent to it until that one is repeated, and then half as many are in flight as before; each success restores a little, as in
// TCP. A quota belongs to a project, not to a request: if each request backed off by itself, the others would use up the quota of the next
// minute. Price: a request that the host might have answered waits, too.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <memory>
#include <utility>

#include "async/async_event.hpp"
#include "rollcall/retry_policy.hpp"

namespace rollcall {

class HostLimiter;

/// The right to have one request in flight. Released when destroyed: passed to the first in the queue, if any. A frame that a loop destroys
/// at its end may do so after the Runtime has gone.
class HostPermit {
 public:
  HostPermit() {}
  HostPermit(HostPermit&&) noexcept = default;
  HostPermit& operator=(HostPermit&& other) noexcept {
    if (this != &other) {
      give_back();
      limiter_ = std::move(other.limiter_);
    }
    return *this;
  }
  ~HostPermit() { give_back(); }

  explicit operator bool() const noexcept { return limiter_ != nullptr; }
  void give_back() noexcept;

 private:
  friend class HostLimiter;
  explicit HostPermit(std::shared_ptr<HostLimiter> limiter) noexcept : limiter_(std::move(limiter)) {}
  std::shared_ptr<HostLimiter> limiter_;
};

class HostLimiter : public std::enable_shared_from_this<HostLimiter> {
 public:
  HostLimiter(std::size_t permits, double budget) : permits_(permits), window_(static_cast<double>(permits)), budget_(budget) {}

  /// Suspends until there is a permit, in order of arrival; not at all when one is free and the queue is empty. None when cancelled.
  asio::awaitable<HostPermit> acquire();
  /// A permit, if one is available without waiting. For callers that announce a wait, and for those that must save a coroutine frame per
  /// permit.
  HostPermit try_acquire() noexcept;

  /// The host rate-limits: no permit is given before `until`, and then half as many as before (once for each pause, and at least a small
  /// number, so that long answers do not block all others).
  void note_rate_limit(std::shared_ptr<TimerQueue> timers, SteadyTime until) noexcept;
  bool is_paused() const noexcept { return timers_ && timers_->now() < paused_until_; }
  /// A request succeeded: a full round of successes restores one permit.
  void speed_up() noexcept;
  /// The current maximum in flight.
  std::size_t width() const noexcept { return static_cast<std::size_t>(window_); }
  /// The number of permits available without waiting.
  std::size_t free() const noexcept { return queue_.empty() && is_free() ? width() - in_flight_ : 0; }

  RetryBudget& budget() noexcept { return budget_; }

 private:
  friend class HostPermit;
  class Waiting : public boost::intrusive::list_base_hook<> {
   public:
    AsyncEvent event;
    HostPermit permit;  // granted permits
  };
  bool is_free() const noexcept { return in_flight_ < width() && !is_paused(); }
  void release() noexcept;
  void admit() noexcept;

  std::size_t permits_;
  double window_;  // at most permits_
  std::size_t in_flight_ = 0;
  SteadyTime paused_until_{};
  std::shared_ptr<TimerQueue> timers_;  // end of the pause
  Timer reopening_;  // runs while there is a pause and a queue
  RetryBudget budget_;
  boost::intrusive::list<Waiting> queue_;
};

inline void HostPermit::give_back() noexcept {
  if (const std::shared_ptr<HostLimiter> limiter = std::move(limiter_)) limiter->release();
}

}  // namespace rollcall
