// The roll of a barrier, and the tasks that keep it.
#include "meeting/rules/roll.hpp"

#include <catch2/catch.hpp>

#include "meeting/rules/meeting_tasks.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::meeting;
using namespace rollcall::testing;

namespace {

constexpr auto second = std::chrono::seconds(1);

Hello hello_of(char process, std::int64_t sequence, std::int64_t call = 0, Stage stage = Stage::barrier) {
  Hello hello;
  hello.incarnation = std::string(16, process);
  hello.sequence = sequence;
  hello.call = call;
  hello.stage = stage;
  hello.why = "tired";
  return hello;
}

TEST_CASE("a roll is released when each task has answered the call") {
  Roll roll({"worker:0", "worker:1"}, 5 * second);
  const SteadyTime now{};
  CHECK(roll.hear(0, hello_of('a', 1), "10.0.0.1", now) == Roll::Heard::kept);
  CHECK(roll.call() == 0);
  CHECK(roll.answer().missing == std::vector<MissingTask>{MissingTask("worker:1", "not heard from")});
  roll.hear(1, hello_of('b', 1), "10.0.0.2", now);
  CHECK(roll.call() == 1);
  CHECK_FALSE(roll.is_released());
  roll.hear(0, hello_of('a', 2, 1), "10.0.0.1", now);
  CHECK_FALSE(roll.is_released());
  roll.hear(1, hello_of('b', 2, 0), "10.0.0.2", now);  // it has not heard of the call yet
  CHECK_FALSE(roll.is_released());
  roll.hear(1, hello_of('b', 3, 1), "10.0.0.2", now);
  CHECK(roll.is_released());
  CHECK_FALSE(roll.has_started());
  roll.hear(0, hello_of('a', 3, 2, Stage::started), "10.0.0.1", now);
  roll.hear(1, hello_of('b', 4, 2, Stage::started), "10.0.0.2", now);
  CHECK(roll.has_started());
}

TEST_CASE("a task that leaves, or is lost or silent, ends the call") {
  const int how = GENERATE(0, 1, 2);
  Roll roll({"worker:0", "worker:1"}, 5 * second);
  SteadyTime now{};
  roll.hear(0, hello_of('a', 1), "here", now);
  roll.hear(1, hello_of('b', 1), "there", now);
  roll.hear(0, hello_of('a', 2, 1), "here", now);
  if (how == 0) roll.hear(1, hello_of('b', 2, 1, Stage::left), "there", now);
  if (how == 1) roll.lose(1, hello_of('b', 1));
  now += 6 * second;
  roll.hear(0, hello_of('a', 3, 1), "here", now);
  roll.judge(now);
  CHECK(roll.answer().here == 1);
  const std::string why = roll.answer().missing.at(0).why;
  CHECK(why == (how == 0   ? "left: tired"
                : how == 1 ? "was here, and its connection from there ended"
                           : "was here, and is not heard from any more"));
  roll.hear(1, hello_of('b', 9, 1), "there", now);  // an answer to the call that has ended is none to the next
  CHECK_FALSE(roll.is_released());
  CHECK(roll.call() == 2);
}

TEST_CASE("late copies are no news, and a second process is refused") {
  Roll roll({"worker:0", "worker:1"}, 5 * second);
  const SteadyTime now{};
  roll.hear(0, hello_of('a', 2, 0, Stage::left), "here", now);
  roll.hear(0, hello_of('a', 1), "here", now);
  CHECK_FALSE(roll.is_here(0));
  roll.hear(0, hello_of('c', 1), "here", now);
  CHECK(roll.is_here(0));
  CHECK(roll.hear(0, hello_of('d', 1), "elsewhere", now) == Roll::Heard::taken);
  roll.lose(0, hello_of('c', 0));  // of an older hello
  CHECK(roll.is_here(0));
  roll.lose(0, hello_of('c', 1));
  CHECK(roll.hear(0, hello_of('d', 2), "elsewhere", now) == Roll::Heard::kept);
  // What another gatherer has released is released, unless the process was never here.
  CHECK(roll.hear(1, hello_of('e', 1, 0, Stage::started), "there", now) == Roll::Heard::kept);
  CHECK_FALSE(roll.is_released());
  roll.hear(0, hello_of('d', 3, 0, Stage::started), "elsewhere", now);
  CHECK(roll.is_released());
}

TEST_CASE("a release has the largest generation that a task named") {
  const auto with = [](Hello hello, std::int64_t generation) {
    hello.generation = generation;
    return hello;
  };
  Roll roll({"worker:0", "worker:1"}, 5 * second);
  Roll other({"worker:0", "worker:1"}, 5 * second);
  const SteadyTime now{};
  roll.hear(0, with(hello_of('a', 1), 7), "here", now);
  roll.hear(1, with(hello_of('b', 1), 2), "there", now);
  roll.hear(0, with(hello_of('a', 2, 1), 7), "here", now);
  CHECK(roll.answer().generation == 0);
  roll.hear(1, with(hello_of('b', 2, 1), 2), "there", now);
  REQUIRE(roll.is_released());
  CHECK(roll.answer().generation == 7);
  // A roll that hears of the release takes its generation, though it has not heard all tasks.
  other.hear(1, with(hello_of('b', 1), 2), "there", now);
  other.hear(1, with(hello_of('b', 2, 0, Stage::started), 7), "there", now);
  CHECK(other.answer().generation == 7);
  // The next start of a task that was released comes later. Another process of this start is refused.
  CHECK(roll.hear(1, with(hello_of('c', 1), 8), "there", now) == Roll::Heard::later);
  CHECK(roll.hear(1, with(hello_of('d', 1), 7), "there", now) == Roll::Heard::taken);
}

TEST_CASE("tasks that keep the roll stand apart") {
  const auto of = [](std::vector<std::string> addresses) {
    ClusterSpec spec;
    spec.set_job("worker", std::move(addresses));
    return gatherers_of(value_of(meeting_tasks(spec)));
  };
  CHECK(of({"a:1"}) == std::vector<std::size_t>{0});
  CHECK(of({"a:1", "a:2", "a:3"}) == std::vector<std::size_t>{0});
  CHECK(of({"a:1", "b:1"}) == std::vector<std::size_t>{0, 1});
  CHECK(of({"a:1", "a:2", "a:3", "a:4", "b:1", "b:2"}) == std::vector<std::size_t>{0, 4});
  CHECK(of({"a:1", "b:1", "c:1", "d:1", "e:1", "f:1", "g:1"}) == std::vector<std::size_t>{0, 2, 4});
}

TEST_CASE("tasks that cannot meet are refused") {
  ClusterSpec spec;
  CHECK(meeting_tasks(spec).error().what() == "the cluster has no task");
  spec.set_job("worker", {"a:1", "A:1"});
  CHECK(meeting_tasks(spec).error().what() == "worker:0 and worker:1 have one address, A:1");
}

}  // namespace
