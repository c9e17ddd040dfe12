// One suspended coroutine that other code wakes. The building block of every wait except those for sockets.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>

#include "async/timer_queue.hpp"

namespace rollcall {

/// Lives in the frame of the coroutine that waits. One wait at a time.
class AsyncEvent {
 public:
  AsyncEvent() {}
  ~AsyncEvent();
  AsyncEvent(const AsyncEvent&) = delete;
  AsyncEvent& operator=(const AsyncEvent&) = delete;

  /// Suspends until wake(); true then. False when cancelled (the next co_await of that coroutine then throws). An earlier wake() is
  /// remembered once. Must not outlive its io_context; destroying the io_context first is fine.
  asio::awaitable<bool> wait();

  /// The same, but true at `when` at the latest, on the queue's clock. SteadyTime::max(): no time limit.
  asio::awaitable<bool> wait_until(TimerQueue& queue, SteadyTime when);

  /// As wait(), but cancellation only calls `on_cancel(context)`, and the wait goes on: for a parent that must await its children.
  asio::awaitable<void> wait_through(void (*on_cancel)(void* context), void* context);

  /// Resumes the waiting coroutine by posting to its executor; call it on the Runtime's executor.
  void wake() { finish(true); }

  class Pending;

 private:
  friend class Pending;
  void finish(bool woken);
  Pending* pending_ = nullptr;
  bool is_woken_ = false;
  Timer timer_;  // set during wait_until()
  alignas(std::max_align_t) std::byte room_[64];  // storage for the waiting handler: most waits need no other allocation
};

/// Sleeps on the queue's clock. False when cancelled.
asio::awaitable<bool> sleep_until(TimerQueue& queue, SteadyTime when);

/// Continues in a later turn of the loop, after all handlers that are ready now: for long work that would block the loop.
asio::awaitable<void> next_turn();

}  // namespace rollcall
