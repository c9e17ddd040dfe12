// A loop, a fake clock, a dialer on both, and dials that end in a result.
#pragma once

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "net/dial/dialer.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/testing/fake_time.hpp"

namespace rollcall::testing {

/// One dial in progress, or its result.
class DialOutcome {
 public:
  std::optional<Result<Stream>> result;
  std::exception_ptr exception;
  asio::cancellation_signal signal;
  bool is_done() const noexcept { return result.has_value() || exception; }
  Failure failure() const {
    if (exception) std::rethrow_exception(exception);
    if (!result || result->has_value()) throw std::runtime_error("the dial did not fail");
    return result->error();
  }
  Stream& stream() {
    if (exception) std::rethrow_exception(exception);
    if (!result) throw std::runtime_error("the dial is not done");
    return result->value();
  }
};

class DialFixture {
 public:
  asio::io_context io{1};
  std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();
  std::shared_ptr<TimerQueue> timers = std::make_shared<TimerQueue>(time, io.get_executor());
  NetworkOptions network;
  ExchangeOptions options;
  std::unique_ptr<Dialer> dialer;

  Dialer& the_dialer() {
    if (!dialer) dialer = std::make_unique<Dialer>(io.get_executor(), timers, network);
    return *dialer;
  }

  static asio::awaitable<void> run(Dialer& dialer, Url url, ExchangeOptions options, std::shared_ptr<DialOutcome> outcome) {
    Result<Stream> stream = co_await dialer.dial(url, options);
    outcome->result.emplace(std::move(stream));
  }

  std::shared_ptr<DialOutcome> start(const std::string& url) {
    auto outcome = std::make_shared<DialOutcome>();
    auto on_end = [outcome](std::exception_ptr error) { outcome->exception = error; };
    asio::co_spawn(io, run(the_dialer(), Url::parse(url).value(), options, outcome),
                   asio::bind_cancellation_slot(outcome->signal.slot(), std::move(on_end)));
    return outcome;
  }

  /// Runs the loop until `done`, on real events; time stands still.
  void run_until(const std::function<bool()>& done) {
    io.restart();
    while (!done()) {
      if (io.run_one() == 0) throw std::runtime_error("nothing is left to wait for");
    }
  }

  /// Runs what is ready, and only then advances time to the next alarm, until `done`.
  void advance_until(const std::function<bool()>& done) {
    while (!done()) {
      io.restart();
      if (io.poll() > 0) continue;
      const auto next = time->next_alarm();
      if (!next) throw std::runtime_error("nobody waits for the clock");
      time->advance_to(*next);
    }
  }

  std::shared_ptr<DialOutcome> dial(const std::string& url) {
    auto outcome = start(url);
    run_until([&] { return outcome->is_done(); });
    return outcome;
  }
};

}  // namespace rollcall::testing
