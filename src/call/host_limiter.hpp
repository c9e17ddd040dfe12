// Per host: permits for requests in flight, the queue for them, and the retry budget.
//
// Decision: a host that asks for patience (429, Compute's 403) is left alone by everybody, not only by the request that it told so: no
// request of this Runtime is sent to it until that one is repeated, and then half as many are in flight as before; each success gives a
// little back, as in TCP. A quota belongs to a project, not to a request: with each request backing off by itself, the others use up
// what the next minute brings. Price: a request that the host might have answered waits, too.
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

/// The right to have one request in flight. Given back when destroyed: to the first in the queue, if any. A frame that a loop destroys
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
  /// A permit, if it can be had without waiting. For callers that announce a wait, and for those whom a frame for each permit would cost
  /// too much.
  HostPermit try_acquire() noexcept;

  /// The host has asked for patience: no permit is given before `until`, and then half as many as before (once for each pause, and not
  /// below a small number, which keeps long answers from blocking all others).
  void note_rate_limit(std::shared_ptr<TimerQueue> timers, SteadyTime until) noexcept;
  bool is_paused() const noexcept { return timers_ && timers_->now() < paused_until_; }
  /// An answer was fine: a full round of them gives one permit back.
  void speed_up() noexcept;
  /// How many may be in flight now.
  std::size_t width() const noexcept { return static_cast<std::size_t>(window_); }
  /// How many could be had now without waiting.
  std::size_t free() const noexcept { return queue_.empty() && is_free() ? width() - in_flight_ : 0; }

  RetryBudget& budget() noexcept { return budget_; }

 private:
  friend class HostPermit;
  class Waiting : public boost::intrusive::list_base_hook<> {
   public:
    AsyncEvent event;
    HostPermit permit;  // what was granted
  };
  bool is_free() const noexcept { return in_flight_ < width() && !is_paused(); }
  void release() noexcept;
  void admit() noexcept;

  std::size_t permits_;
  double window_;  // at most permits_
  std::size_t in_flight_ = 0;
  SteadyTime paused_until_{};
  std::shared_ptr<TimerQueue> timers_;  // of a pause
  Timer reopening_;               // while there is a pause, and a queue
  RetryBudget budget_;
  boost::intrusive::list<Waiting> queue_;
};

inline void HostPermit::give_back() noexcept {
  if (const std::shared_ptr<HostLimiter> limiter = std::move(limiter_)) limiter->release();
}

}  // namespace rollcall
