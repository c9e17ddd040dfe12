// Every deadline and sleep of a Runtime, ordered, behind one alarm. The alarm is cleared when the queue empties, because a
// waiting timer keeps io_context::run() from returning.
#pragma once

#include <boost/intrusive/set.hpp>
#include <memory>

#include "rollcall/time_source.hpp"

namespace rollcall {

class TimerQueue;

/// One entry: calls `ring(context)` once, on the queue's executor. Destroying it cancels it. No allocation.
class Timer : public boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>> {
 public:
  using Ring = void (*)(void* context) noexcept;
  Timer() {}
  ~Timer() { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Replaces an earlier setting. SteadyTime::max() never rings.
  void set(TimerQueue& queue, SteadyTime when, Ring ring, void* context);
  void cancel() noexcept;
  bool is_set() const noexcept { return is_linked(); }
  SteadyTime when() const noexcept { return when_; }
  friend bool operator<(const Timer& a, const Timer& b) noexcept { return a.when_ < b.when_; }

 private:
  friend class TimerQueue;
  TimerQueue* queue_ = nullptr;
  SteadyTime when_{};
  Ring ring_ = nullptr;
  void* context_ = nullptr;
};

class TimerQueue : public std::enable_shared_from_this<TimerQueue> {
 public:
  TimerQueue(std::shared_ptr<TimeSource> time, asio::any_io_executor executor);
  ~TimerQueue();
  SteadyTime now() const { return time_->now(); }
  TimeSource& time() const noexcept { return *time_; }

 private:
  friend class Timer;
  void insert(Timer& timer);
  void remove(Timer& timer) noexcept;
  void on_ring();

  std::shared_ptr<TimeSource> time_;
  asio::any_io_executor executor_;
  std::unique_ptr<Alarm> alarm_;
  SteadyTime armed_for_ = SteadyTime::max();
  boost::intrusive::multiset<Timer> timers_;
};

}  // namespace rollcall
