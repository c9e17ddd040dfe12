// Turns of the loop, and waits with a time limit.
#include "async/async_event.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "rollcall/testing/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> write_in_turns(std::string& text) {
  text += 'a';
  co_await next_turn();
  text += 'b';
  co_await next_turn();
  text += 'c';
}

struct TimedWait {
  VirtualLoop loop;
  std::shared_ptr<TimerQueue> queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  AsyncEvent event;
};

}  // namespace

TEST_CASE("ready handlers run in between") {
  asio::io_context io{1};
  std::string text;
  asio::co_spawn(io, write_in_turns(text), asio::detached);
  asio::post(io, [&] {
    text += '1';
    asio::post(io, [&] { text += '2'; });
  });
  io.run();
  CHECK(text == "a1b2c");
}

TEST_CASE("cancelled work gets no further turn") {
  asio::io_context io{1};
  asio::cancellation_signal cancel;
  std::string text;
  std::error_code thrown;
  const auto on_end = [&](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const std::system_error& e) {
      thrown = e.code();
    }
  };
  asio::co_spawn(io, write_in_turns(text), asio::bind_cancellation_slot(cancel.slot(), on_end));
  asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });
  io.run();
  CHECK(thrown == std::error_code(asio::error::operation_aborted));
  CHECK(text != "abc");
}

TEST_CASE("wait_until() ends when the event comes first, and leaves no timer") {
  TimedWait test;
  auto wait = test.loop.start(test.event.wait_until(*test.queue, SteadyTime(5s)));
  test.loop.time->advance_to(SteadyTime(5s) - 1ns);
  test.loop.poll();
  REQUIRE_FALSE(wait.done());
  test.event.wake();
  CHECK(test.loop.time->alarms() == 0);
  test.loop.poll();
  REQUIRE(wait.done());
  CHECK(wait.value());
}

TEST_CASE("wait_until() ends at its time, and the event is not remembered as woken") {
  TimedWait test;
  auto wait = test.loop.start(test.event.wait_until(*test.queue, SteadyTime(5s)));
  test.loop.time->advance_to(SteadyTime(5s));
  test.loop.poll();
  REQUIRE(wait.done());
  CHECK(wait.value());
  auto next = test.loop.start(test.event.wait_until(*test.queue, SteadyTime(6s)));
  CHECK_FALSE(next.done());
  next.cancel();
  test.loop.poll();
}

TEST_CASE("wait_until() that is cancelled returns false and leaves no timer") {
  TimedWait test;
  auto wait = test.loop.start(test.event.wait_until(*test.queue, SteadyTime(5s)));
  CHECK(test.loop.time->alarms() == 1);
  wait.cancel();
  CHECK(test.loop.time->alarms() == 0);
  test.loop.poll();
  REQUIRE(wait.done());
  CHECK_FALSE(wait.value());
}

TEST_CASE("wait_until() ends at once after an earlier wake(), without a timer") {
  TimedWait test;
  test.event.wake();
  auto wait = test.loop.start(test.event.wait_until(*test.queue, SteadyTime(5s)));
  REQUIRE(wait.done());
  CHECK(wait.value());
  CHECK(test.loop.time->alarms() == 0);
}

TEST_CASE("wait_until() without a time limit waits for the event alone") {
  TimedWait test;
  auto wait = test.loop.start(test.event.wait_until(*test.queue, SteadyTime::max()));
  CHECK(test.loop.time->alarms() == 0);
  test.event.wake();
  test.loop.poll();
  REQUIRE(wait.done());
  CHECK(wait.value());
}
