#include "call/host_limiter.hpp"

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <random>

#include "rollcall/testing/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;
using namespace std::chrono_literals;

namespace {

struct Load {
  int inside = 0;
  int peak = 0;
  int served = 0;
};

asio::awaitable<int> visit(HostLimiter& limiter, TimerQueue& queue, Load& load, Duration stay) {
  const HostPermit permit = co_await limiter.acquire();
  if (!permit) co_return 0;
  load.peak = std::max(load.peak, ++load.inside);
  const bool woken = co_await sleep_until(queue, queue.now() + stay);
  --load.inside;
  if (woken) ++load.served;
  co_return woken ? 1 : 0;
}

}  // namespace

TEST_CASE("a limiter admits so many at a time, in order of arrival") {
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  const auto shared = std::make_shared<HostLimiter>(3, 500);
  HostLimiter& limiter = *shared;
  Load load;
  std::vector<VirtualLoop::Started<int>> all;
  for (int i = 0; i < 10; ++i) all.push_back(loop.start(visit(limiter, *queue, load, 1s)));
  for (auto& started : all) REQUIRE(loop.finish(started));
  CHECK(load.peak == 3);
  CHECK(load.served == 10);
  CHECK(loop.seconds() == 4);
}

TEST_CASE("random cancellations lose no place") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u, 5u);
  std::mt19937 random(seed);
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  const auto shared = std::make_shared<HostLimiter>(4, 500);
  HostLimiter& limiter = *shared;
  Load load;
  std::vector<VirtualLoop::Started<int>> all;
  for (int i = 0; i < 2000; ++i) {
    all.push_back(loop.start(visit(limiter, *queue, load, std::chrono::milliseconds(random() % 5))));
    if (random() % 3 == 0) loop.time->advance(1ms);
    // Without a poll in between, a cancellation meets grants that are queued but not delivered.
    for (int k = 0; k < 2; ++k) all[random() % all.size()].cancel();
    if (random() % 2 == 0) loop.poll();
  }
  for (auto& started : all) REQUIRE(loop.finish(started));
  CHECK(load.inside == 0);
  CHECK(load.peak <= 4);
  std::vector<HostPermit> permits;
  for (int i = 0; i < 4; ++i) permits.push_back(limiter.try_acquire());
  CHECK(permits.back());
  CHECK_FALSE(limiter.try_acquire());
  permits.pop_back();
  CHECK(limiter.try_acquire());
}

TEST_CASE("a host that limits the rate gets a pause from all requests, and fewer at once afterwards") {
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  const auto shared = std::make_shared<HostLimiter>(16, 500);
  HostLimiter& limiter = *shared;
  Load load;
  std::vector<VirtualLoop::Started<int>> all;
  limiter.note_rate_limit(queue, queue->now() + 5s);
  limiter.note_rate_limit(queue, queue->now() + 7s);  // one pause: halved once
  CHECK(limiter.width() == 8);
  CHECK_FALSE(limiter.try_acquire());
  for (int i = 0; i < 20; ++i) all.push_back(loop.start(visit(limiter, *queue, load, 1s)));
  CHECK(load.inside == 0);
  auto impatient = loop.start(visit(limiter, *queue, load, 1s));
  impatient.cancel();
  for (auto& started : all) REQUIRE(loop.finish(started));
  CHECK(load.peak == 8);
  CHECK(loop.seconds() == 7 + 3);
  for (int i = 0; i < 200; ++i) limiter.speed_up();
  CHECK(limiter.width() == 16);
  for (int i = 0; i < 5; ++i) {
    limiter.note_rate_limit(queue, queue->now() + 1s);
    loop.time->advance_to(queue->now() + 1s);
  }
  CHECK(limiter.width() == 4);  // not below the minimum
}

TEST_CASE("a pause keeps no loop running when no request waits") {
  VirtualLoop loop;
  const auto queue = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
  const auto shared = std::make_shared<HostLimiter>(2, 500);
  HostLimiter& limiter = *shared;
  Load load;
  limiter.note_rate_limit(queue, queue->now() + 5s);
  CHECK_FALSE(loop.time->next_alarm().has_value());
  auto waiting = loop.start(visit(limiter, *queue, load, 1s));
  CHECK(loop.time->next_alarm().has_value());
  waiting.cancel();
  REQUIRE(loop.finish(waiting));
  CHECK_FALSE(loop.time->next_alarm().has_value());
}
