// Per host: how many requests are in flight, who waits for a place, and the retry budget.
//
// Decision: a host that asks for patience (429, Compute's 403) is left alone by everybody, not only by the request that it told so: no
// request of this Runtime is sent to it until that one is repeated, and then half as many are in flight as before; each success gives a
// little back, as in TCP. A quota belongs to a project, not to a request: with each request backing off by itself, the others use up
// what the next minute brings. Price: a request that the host might have answered waits, too.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>

#include "async/async_event.hpp"
#include "rollcall/retry_policy.hpp"

namespace rollcall {

class HostLimiter {
 public:
  HostLimiter(std::size_t places, double budget) : places_(places), window_(static_cast<double>(places)), budget_(budget) {}

  /// Takes a place if one is free and nobody waits.
  bool try_enter() noexcept {
    if (!queue_.empty() || !has_place()) return false;
    ++in_flight_;
    return true;
  }
  /// Suspends until a place is granted, in order of arrival. False when cancelled; no place is held then.
  asio::awaitable<bool> enter();
  /// Gives a place back: to the first who waits, if any.
  void leave() noexcept;

  /// The host has asked for patience: nobody enters before `until`, and then half as many as before (once for each pause, and not
  /// below a small number, which keeps long answers from blocking all others).
  void note_rate_limit(TimerQueue& timers, SteadyTime until) noexcept;
  bool is_paused() const noexcept { return timers_ && timers_->now() < paused_until_; }
  /// An answer was fine: a full round of them gives one place back.
  void speed_up() noexcept;
  /// How many may be in flight now.
  std::size_t width() const noexcept { return static_cast<std::size_t>(window_); }

  RetryBudget& budget() noexcept { return budget_; }

 private:
  struct Entry : boost::intrusive::list_base_hook<> {
    AsyncEvent waiter;
    bool is_granted = false;
  };
  bool has_place() const noexcept { return in_flight_ < width() && !is_paused(); }
  void admit() noexcept;

  std::size_t places_;
  double window_;  // at most places_
  std::size_t in_flight_ = 0;
  SteadyTime paused_until_{};
  TimerQueue* timers_ = nullptr;  // of a pause
  Timer reopening_;               // while there is a pause and somebody waits
  RetryBudget budget_;
  boost::intrusive::list<Entry> queue_;
};

/// Holds one place; gives it back when destroyed.
class HostPermit {
 public:
  HostPermit() {}
  explicit HostPermit(HostLimiter& gate) : gate_(&gate) {}
  HostPermit(const HostPermit&) = delete;
  HostPermit& operator=(const HostPermit&) = delete;
  ~HostPermit() { reset(); }
  void adopt(HostLimiter& gate) {
    reset();
    gate_ = &gate;
  }
  void reset() noexcept {
    if (gate_) std::exchange(gate_, nullptr)->leave();
  }

 private:
  HostLimiter* gate_ = nullptr;
};

}  // namespace rollcall
