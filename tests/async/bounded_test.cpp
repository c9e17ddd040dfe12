#include "async/bounded.hpp"

#include <catch2/catch.hpp>

#include "support/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;
using namespace std::chrono_literals;

namespace {

struct BoundedFixture : VirtualLoop {
  std::shared_ptr<TimerQueue> queue = std::make_shared<TimerQueue>(time, io.get_executor());
  int asked = 0;
  int running = 0;
  int most = 0;

  // Answers `i` after a second; the question `bad` fails after half a second.
  std::function<asio::awaitable<Result<int>>(std::size_t)> questions(std::size_t bad = 1'000'000) {
    return [this, bad](std::size_t i) { return ask(i, bad); };
  }
  asio::awaitable<Result<int>> ask(std::size_t i, std::size_t bad) {
    ++asked;
    most = std::max(most, ++running);
    const bool woken = co_await sleep_until(*queue, queue->now() + (i == bad ? 500ms : 1000ms));
    --running;
    if (!woken) co_return Failure(Errc::cancelled, "cancelled");
    if (i == bad) co_return Failure(Errc::not_found, "bad");
    co_return static_cast<int>(i);
  }
};

}  // namespace

TEST_CASE("so many at a time, answers in order") {
  BoundedFixture f;
  const auto answers = f.run(join_bounded(10, 4, f.questions()));
  REQUIRE(answers.has_value());
  REQUIRE(answers->size() == 10);
  for (int i = 0; i < 10; ++i) CHECK((*answers)[static_cast<std::size_t>(i)] == i);
  CHECK(f.seconds() == 3);
  CHECK(f.most == 4);
}

TEST_CASE("fewer questions than places, none at all, and no place") {
  BoundedFixture f;
  CHECK(f.run(join_bounded(2, 64, f.questions()))->size() == 2);
  CHECK(f.most == 2);
  CHECK(f.run(join_bounded(0, 64, f.questions()))->empty());
  CHECK(f.run(join_bounded(3, 0, f.questions()))->size() == 3);
  CHECK(f.seconds() == 1 + 3);
}

TEST_CASE("the first failure ends all, and nothing further is asked") {
  BoundedFixture f;
  const auto answers = f.run(join_bounded(100, 4, f.questions(6)));
  REQUIRE(answers.has_error());
  CHECK(answers.error().code() == Errc::not_found);
  CHECK(f.asked == 8);
  CHECK(f.running == 0);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("cancelling a bounded join cancels what is running") {
  BoundedFixture f;
  auto started = f.start(join_bounded(100, 4, f.questions()));
  f.time->advance(1500ms);
  f.poll();
  CHECK_FALSE(started.done());
  started.cancel();
  f.poll();
  REQUIRE(started.done());
  CHECK(started.value().has_error());
  CHECK(f.asked == 8);
  CHECK(f.running == 0);
  CHECK(f.time->alarms() == 0);
}
