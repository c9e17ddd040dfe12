// Cancelled, timed out and past the deadline are three different results.
#include "net/socket/dial_step.hpp"

#include <asio/cancellation_signal.hpp>
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "rollcall/testing/fake_time.hpp"

using namespace rollcall;
using rollcall::testing::FakeTime;
using namespace std::chrono_literals;

TEST_CASE("why a dial's step stopped, as a table") {
  struct Row {
    Phase phase;
    Duration timeout, passed;
    bool is_cancelled;
    Errc expected;
    const char* what;
  };
  for (const Row& row : {
           Row{Phase::resolve, 1s, 1s, false, Errc::resolve_timeout, "doing took longer than 1s"},
           Row{Phase::connect, 1s, 1s, false, Errc::connect_timeout, "doing took longer than 1s"},
           Row{Phase::handshake, 1s, 1s, false, Errc::handshake_timeout, "doing took longer than 1s"},
           Row{Phase::response, 1s, 1s, false, Errc::response_timeout, "doing took longer than 1s"},
           Row{Phase::overall, 1s, 1s, false, Errc::deadline_exceeded, "doing took longer than 1s"},
           Row{Phase::connect, 0s, 3s, false, Errc::deadline_exceeded, "doing was not done when the deadline passed"},
           Row{Phase::connect, 3s, 3s, false, Errc::deadline_exceeded, "doing was not done when the deadline passed"},
           Row{Phase::connect, 1s, 0s, true, Errc::cancelled, "doing was cancelled"},
           Row{Phase::connect, 1s, 1s, true, Errc::cancelled, "doing was cancelled"},
           Row{Phase::connect, 0s, 3s, true, Errc::cancelled, "doing was cancelled"},
       }) {
    CAPTURE(to_string(row.phase), row.is_cancelled, to_string(row.expected));
    asio::io_context io;
    const auto time = std::make_shared<FakeTime>();
    const auto timers = std::make_shared<TimerQueue>(time, io.get_executor());
    ExchangeOptions options;
    options.deadline = timers->now() + 3s;
    asio::cancellation_signal signal;
    DialStep step(*timers, options, asio::cancellation_state(signal.slot()));
    step.begin(row.phase, row.timeout);
    CHECK_FALSE(step.must_stop());
    time->advance(row.passed);
    io.poll();
    if (row.is_cancelled) signal.emit(asio::cancellation_type::terminal);
    CHECK(step.must_stop());
    const Failure failure = step.why_stopped("doing");
    CHECK(failure.code() == row.expected);
    CHECK(failure.what() == row.what);
    CHECK(failure.phase() == row.phase);
  }
}
