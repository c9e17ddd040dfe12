// Per host: how many requests are in flight, who waits for a place, and the retry budget.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>

#include "async/waiter.hpp"
#include "rollcall/retry_policy.hpp"

namespace rollcall {

class HostGate {
 public:
  HostGate(std::size_t places, double budget) : free_(places), budget_(budget) {}

  /// Takes a place if one is free and nobody waits.
  bool try_enter() noexcept {
    if (free_ == 0 || !queue_.empty()) return false;
    --free_;
    return true;
  }
  /// Suspends until a place is granted, in order of arrival. False when cancelled; no place is held then.
  asio::awaitable<bool> enter();
  /// Gives a place back: to the first who waits, if any.
  void leave() noexcept;
  RetryBudget& budget() noexcept { return budget_; }

 private:
  struct Entry : boost::intrusive::list_base_hook<> {
    Waiter waiter;
    bool is_granted = false;
  };
  std::size_t free_;
  RetryBudget budget_;
  boost::intrusive::list<Entry> queue_;
};

/// Holds one place; gives it back when destroyed.
class HostPlace {
 public:
  HostPlace() {}
  explicit HostPlace(HostGate& gate) : gate_(&gate) {}
  HostPlace(const HostPlace&) = delete;
  HostPlace& operator=(const HostPlace&) = delete;
  ~HostPlace() { reset(); }
  void adopt(HostGate& gate) {
    reset();
    gate_ = &gate;
  }
  void reset() noexcept {
    if (gate_) std::exchange(gate_, nullptr)->leave();
  }

 private:
  HostGate* gate_ = nullptr;
};

}  // namespace rollcall
