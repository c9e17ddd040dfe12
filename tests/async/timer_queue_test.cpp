#include "async/timer_queue.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "async/async_event.hpp"
#include "rollcall/testing/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;
using namespace std::chrono_literals;

namespace {
struct Ringing {
  std::vector<int>* order;
  int number;
};
void ring(void* context) noexcept {
  const auto* ringing = static_cast<Ringing*>(context);
  ringing->order->push_back(ringing->number);
}
}  // namespace

TEST_CASE("timers ring in order of time, not a tick early") {
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  std::vector<int> order;
  Ringing one{&order, 1}, two{&order, 2}, three{&order, 3};
  Timer a, b, c;
  a.set(*queue, SteadyTime(3s), ring, &three);
  b.set(*queue, SteadyTime(1s), ring, &one);
  c.set(*queue, SteadyTime(2s), ring, &two);
  loop.time->advance_to(SteadyTime(1s) - 1ns);
  loop.poll();
  CHECK(order.empty());
  loop.time->advance(1ns);
  loop.poll();
  CHECK(order == std::vector<int>{1});
  c.cancel();
  loop.time->advance(10s);
  loop.poll();
  CHECK(order == std::vector<int>{1, 3});
}

TEST_CASE("an empty queue keeps no alarm, so the loop may end") {
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  {
    Timer a;
    a.set(*queue, SteadyTime(3s), ring, nullptr);
    CHECK(loop.time->alarms() == 1);
  }
  CHECK(loop.time->alarms() == 0);
}

TEST_CASE("with the real clock the loop ends when the last timer is cancelled") {
  asio::io_context io(1);
  const auto queue = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  Timer a;
  a.set(*queue, queue->now() + 1h, ring, nullptr);
  a.cancel();
  io.run();
  SUCCEED("run() returned");
}

TEST_CASE("a cancelled wait returns false and leaves no timer") {
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  auto started = loop.start(sleep_until(*queue, SteadyTime(5s)));
  CHECK_FALSE(started.done());
  started.cancel();
  loop.poll();
  REQUIRE(started.done());
  CHECK_FALSE(started.value());
  CHECK(loop.time->alarms() == 0);
}
