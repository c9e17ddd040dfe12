// Runs coroutines on an io_context with virtual time, which advances only when no handler is ready: hours of waiting take no time, for
// tests of programs that wait for clusters. Opens no sockets; give the Runtime a simulated cloud (rollcall/sim/memory.hpp).
#pragma once

#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rollcall/testing/fake_time.hpp"

namespace rollcall::testing {

/// One thread. Create the Runtime on `io` with RuntimeOptions::time set to `time`.
class VirtualLoop {
 public:
  asio::io_context io{1};
  std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();

  /// Runs what is ready; time stands still. Rethrows the exception of a coroutine that was started here.
  void poll() {
    io.restart();
    io.poll();
  }

  /// A coroutine that was started, and its result.
  template <class T>
  class Started {
   public:
    bool done() const { return result_->has_value(); }
    /// May be called only when done() is true.
    const T& value() const { return **result_; }
    /// Requests cancellation; the coroutine ends while the loop runs.
    void cancel() { signal_->emit(asio::cancellation_type::terminal); }

   private:
    friend class VirtualLoop;
    std::shared_ptr<std::optional<T>> result_ = std::make_shared<std::optional<T>>();
    std::shared_ptr<asio::cancellation_signal> signal_ = std::make_shared<asio::cancellation_signal>();
  };

  /// Runs the coroutine until it waits for the first time.
  template <class T>
  Started<T> start(asio::awaitable<T> work) {
    Started<T> started;
    asio::co_spawn(io, std::move(work),
                   asio::bind_cancellation_slot(started.signal_->slot(),
                                                [result = started.result_, signal = started.signal_](std::exception_ptr error, T value) {
                                                  if (error) std::rethrow_exception(error);
                                                  result->emplace(std::move(value));
                                                }));
    poll();
    return started;
  }

  /// Advances to the next alarm, repeatedly, until the coroutine is done. False if no alarm is left.
  template <class T>
  bool finish(const Started<T>& started) {
    for (poll(); !started.done(); poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next) return false;
      time->advance_to(*next);
    }
    return true;
  }

  /// start() and finish(). Throws std::runtime_error if the coroutine waits and no alarm is left.
  template <class T>
  T run(asio::awaitable<T> work) {
    Started<T> started = start(std::move(work));
    if (!finish(started)) throw std::runtime_error("the coroutine waits for something that never happens");
    return started.value();
  }

  /// The current virtual time.
  double seconds() const { return std::chrono::duration<double>(time->now().time_since_epoch()).count(); }
};

}  // namespace rollcall::testing
