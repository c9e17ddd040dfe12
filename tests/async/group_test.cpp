#include "async/group.hpp"

#include <catch2/catch.hpp>

#include "rollcall/testing/virtual_loop.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;
using namespace std::chrono_literals;

namespace {

asio::awaitable<Result<int>> after(TimerQueue& queue, Duration delay, Result<int> result) {
  const bool woken = co_await sleep_until(queue, queue.now() + delay);
  if (!woken) co_return Failure(Errc::cancelled, "cancelled");
  co_return result;
}

struct Fixture : VirtualLoop {
  std::shared_ptr<TimerQueue> queue = std::make_shared<TimerQueue>(time, io.get_executor());
  std::vector<asio::awaitable<Result<int>>> children(std::vector<std::pair<Duration, Result<int>>> spec) {
    std::vector<asio::awaitable<Result<int>>> all;
    for (auto& [delay, result] : spec) all.push_back(after(*queue, delay, result));
    return all;
  }
};

}  // namespace

TEST_CASE("gather returns every result in order, in the time of the slowest") {
  Fixture f;
  const auto results = f.run(gather(f.children({{3s, 3}, {1s, Failure(Errc::not_found, "x")}, {2s, 2}})));
  REQUIRE(results.size() == 3);
  CHECK(*results[0] == 3);
  CHECK(results[1].error().code() == Errc::not_found);
  CHECK(*results[2] == 2);
  CHECK(f.seconds() == 3);
}

TEST_CASE("gather of nothing is done at once") {
  Fixture f;
  CHECK(f.run(gather(f.children({}))).empty());
}

TEST_CASE("join returns the first failure and cancels the siblings") {
  Fixture f;
  const auto result = f.run(join(f.children({{30s, 3}, {1s, Failure(Errc::not_found, "x")}, {60s, 2}})));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::not_found);
  CHECK(f.seconds() == 1);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("join of children without values returns the cause, not its consequences") {
  Fixture f;
  const auto end = [&f](Duration delay, Result<void> result) -> asio::awaitable<Result<void>> {
    const Result<int> woken = co_await after(*f.queue, delay, 0);
    if (!woken) co_return woken.error();
    co_return result;
  };
  std::vector<asio::awaitable<Result<void>>> children;
  children.push_back(end(30s, Result<void>()));
  children.push_back(end(1s, Failure(Errc::not_found, "x")));
  const Result<void> result = f.run(join(std::move(children)));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::not_found);
  CHECK(f.seconds() == 1);
  std::vector<asio::awaitable<Result<void>>> fine;
  fine.push_back(end(1s, Result<void>()));
  CHECK(f.run(join(std::move(fine))).has_value());
}

TEST_CASE("cancel_later: a failure cancels the children after it, and waits for those before") {
  Fixture f;
  const auto results =
      f.run(gather(f.children({{3s, 1}, {1s, Failure(Errc::not_found, "x")}, {30s, 3}, {0s, 4}}), OnFailure::cancel_later));
  REQUIRE(results.size() == 4);
  CHECK(*results[0] == 1);
  CHECK(results[1].error().code() == Errc::not_found);
  CHECK(results[2].error().code() == Errc::cancelled);
  CHECK(*results[3] == 4);
  CHECK(f.seconds() == 3);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("join_bounded returns the first failure in order, not in time") {
  Fixture f;
  std::vector<std::size_t> asked;
  const std::vector<std::pair<Duration, Result<int>>> answers = {
      {1s, 0}, {6s, Failure(Errc::permission_denied, "late")}, {2s, 2}, {1s, Failure(Errc::not_found, "early")}, {30s, 4}, {1s, 5}};
  std::function<asio::awaitable<Result<int>>(std::size_t)> ask = [&](std::size_t i) {
    asked.push_back(i);
    return after(*f.queue, answers[i].first, answers[i].second);
  };
  const Result<std::vector<int>> result = f.run(join_bounded(answers.size(), 3, std::move(ask)));
  REQUIRE(result.has_error());
  CHECK(result.error().what() == "late");
  CHECK(asked == std::vector<std::size_t>{0, 1, 2, 3, 4});  // at 2 s the fourth call fails, and no more are started
  CHECK(f.seconds() == 6);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("cancelling join_bounded ends all of its calls") {
  Fixture f;
  std::function<asio::awaitable<Result<int>>(std::size_t)> ask = [&](std::size_t) { return after(*f.queue, 30s, 1); };
  auto started = f.start(join_bounded(5, 2, std::move(ask)));
  f.time->advance(1ms);
  f.poll();
  started.cancel();
  f.poll();
  REQUIRE(started.done());
  CHECK(started.value().error().code() == Errc::cancelled);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("join_bounded with cancel_rest ends with the first failure in time") {
  Fixture f;
  std::vector<std::size_t> asked;
  const std::vector<std::pair<Duration, Result<int>>> answers = {
      {30s, 0}, {1s, 1}, {6s, Failure(Errc::permission_denied, "late")}, {1s, Failure(Errc::not_found, "early")}, {1s, 4}};
  std::function<asio::awaitable<Result<int>>(std::size_t)> ask = [&](std::size_t i) {
    asked.push_back(i);
    return after(*f.queue, answers[i].first, answers[i].second);
  };
  const Result<std::vector<int>> result = f.run(join_bounded(answers.size(), 3, std::move(ask), OnFailure::cancel_rest));
  REQUIRE(result.has_error());
  CHECK(result.error().what() == "early");
  CHECK(asked == std::vector<std::size_t>{0, 1, 2, 3});  // the fourth begins at 1 s and fails at 2 s
  CHECK(f.seconds() == 2);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("a cancelled call is not the result if another one failed") {
  Fixture f;
  const std::vector<std::pair<Duration, Result<int>>> answers = {{1s, Failure(Errc::cancelled, "itself")},
                                                                 {1s, Failure(Errc::not_found, "x")}};
  std::function<asio::awaitable<Result<int>>(std::size_t)> ask = [&](std::size_t i) {
    return after(*f.queue, answers[i].first, answers[i].second);
  };
  CHECK(f.run(join_bounded(2, 2, std::move(ask), OnFailure::cancel_rest)).error().what() == "x");
}

TEST_CASE("join returns all values when none fails") {
  Fixture f;
  const auto result = f.run(join(f.children({{2s, 1}, {1s, 2}})));
  REQUIRE(result.has_value());
  CHECK(*result == std::vector<int>{1, 2});
}

TEST_CASE("cancelling the parent cancels the children, whose results are not lost") {
  Fixture f;
  auto started = f.start(gather(f.children({{0s, 7}, {30s, 3}})));
  f.time->advance(1ms);
  f.poll();
  CHECK_FALSE(started.done());
  started.cancel();
  f.poll();
  REQUIRE(started.done());
  CHECK(*started.value()[0] == 7);
  CHECK(started.value()[1].error().code() == Errc::cancelled);
  CHECK(f.time->alarms() == 0);
}

TEST_CASE("destroying the loop with children in flight leaks nothing") {
  auto f = std::make_unique<Fixture>();
  auto started = f->start(gather(f->children({{10s, 7}, {30s, 3}})));
  CHECK_FALSE(started.done());
}

TEST_CASE("a child is cancelled once, however many of its siblings fail because of it") {
  Fixture f;
  constexpr int count = 50;
  int cancellations = 0;
  const auto deaf = [&f, &cancellations](int number) -> asio::awaitable<Result<int>> {
    if (number == 0) {
      co_await next_turn();
      co_return Failure(Errc::not_found, "x");
    }
    AsyncEvent event;
    Timer timer;
    timer.set(*f.queue, f.queue->now() + 1s, [](void* context) noexcept { static_cast<AsyncEvent*>(context)->wake(); }, &event);
    co_await event.wait_through([](void* context) { ++*static_cast<int*>(context); }, &cancellations);
    co_return Failure(Errc::cancelled, "cancelled");
  };
  std::vector<asio::awaitable<Result<int>>> children;
  for (int i = 0; i < count; ++i) children.push_back(deaf(i));
  const auto result = f.run(join(std::move(children)));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::not_found);
  CHECK(cancellations == count - 1);
}
