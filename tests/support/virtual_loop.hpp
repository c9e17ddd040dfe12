// Runs coroutines on an io_context whose time moves only when nothing else can happen.
#pragma once

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <memory>
#include <optional>

#include "rollcall/testing/fake_time.hpp"

namespace rollcall::testing {

class VirtualLoop {
 public:
  asio::io_context io{1};
  std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();

  /// Runs what is ready.
  void poll() {
    io.restart();
    io.poll();
  }

  /// Starts a coroutine; its result is stored in the returned holder.
  template <class T>
  class Started {
   public:
    bool done() const { return result_->has_value(); }
    const T& value() const { return **result_; }
    void cancel() { signal_->emit(asio::cancellation_type::terminal); }

   private:
    friend class VirtualLoop;
    std::shared_ptr<std::optional<T>> result_ = std::make_shared<std::optional<T>>();
    std::shared_ptr<asio::cancellation_signal> signal_ = std::make_shared<asio::cancellation_signal>();
  };

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

  /// Advances to the next alarm, again and again, until the coroutine is done. False when nothing is left to wait for.
  template <class T>
  bool finish(const Started<T>& started) {
    for (poll(); !started.done(); poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next) return false;
      time->advance_to(*next);
    }
    return true;
  }

  /// start() and finish().
  template <class T>
  T run(asio::awaitable<T> work) {
    Started<T> started = start(std::move(work));
    if (!finish(started)) throw std::runtime_error("the coroutine waits for something that never happens");
    return started.value();
  }

  double seconds() const { return std::chrono::duration<double>(time->now().time_since_epoch()).count(); }
};

}  // namespace rollcall::testing
