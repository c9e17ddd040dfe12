// The steps of a dial, one at a time: the timer that ends a step, the coroutine that it wakes then, and the reason for the end.
#pragma once

#include <asio/cancellation_state.hpp>
#include <asio/ip/tcp.hpp>
#include <string>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// Lives in the frame of the dialling coroutine. Its timer only wakes the coroutine and cancels the socket that it waits for.
class DialStep {
 public:
  /// `waited`: the time before this dial that its time-outs include, at most a quarter of each.
  DialStep(TimerQueue& timers, const ExchangeOptions& options, asio::cancellation_state cancellation, Duration waited = Duration::zero())
      : timers_(timers), options_(options), cancellation_(cancellation), waited_(waited) {}
  DialStep(const DialStep&) = delete;
  DialStep& operator=(const DialStep&) = delete;
  ~DialStep() { end(); }

  /// Starts a step, whose `timeout` counts from now; zero means that only the deadline applies.
  void begin(Phase phase, Duration timeout);
  /// Ends it normally.
  void end() noexcept;

  /// The step must stop: its time is over, or the caller cancelled.
  bool must_stop() const noexcept { return has_rung_ || is_cancelled(); }
  bool is_cancelled() const noexcept { return cancellation_.cancelled() != asio::cancellation_type::none; }
  /// The reason as a failure that contains `doing` ("looking up 'host'").
  Failure why_stopped(const std::string& doing) const;

  /// Suspends until `event()` is woken, by the step's timer or otherwise. False when the step must stop.
  asio::awaitable<bool> pause();
  AsyncEvent& event() noexcept { return event_; }
  /// Suspends until the socket is ready. False when the step must stop.
  asio::awaitable<bool> wait(asio::ip::tcp::socket& socket, asio::ip::tcp::socket::wait_type what);
  TimerQueue& timers() noexcept { return timers_; }
  SteadyTime deadline() const noexcept { return options_.deadline; }

 private:
  void on_ring() noexcept;

  TimerQueue& timers_;
  const ExchangeOptions& options_;
  asio::cancellation_state cancellation_;
  Duration waited_;
  Timer timer_;
  AsyncEvent event_;
  asio::ip::tcp::socket* socket_ = nullptr;
  Phase phase_ = Phase::none;
  Duration timeout_{0};
  bool has_rung_ = false;
  bool is_deadline_ = false;
};

}  // namespace rollcall
