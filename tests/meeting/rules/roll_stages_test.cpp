// What tasks do before a barrier, as the roll keeps it.
#include "meeting/rules/roll_stages.hpp"

#include <catch2/catch.hpp>

#include "meeting/rules/roll.hpp"

using namespace rollcall;
using namespace rollcall::meeting;

namespace {

using namespace std::chrono_literals;

TEST_CASE("the last stage of a task is the innermost that goes on, else the latest") {
  RollStages stages(2);
  const SteadyTime now{};
  CHECK_FALSE(stages.last(0, now));
  stages.take(0, {StageSpan("setup", 50s), StageSpan("sync", 40s), StageSpan("fetch", 5s, true)}, now);
  CHECK(stages.last(0, now + 2s)->name == "sync");
  CHECK(stages.last(0, now + 2s)->time == 42s);
  stages.take(0, {StageSpan("sync", 40s, true, 3)}, now);
  CHECK(stages.last(0, now + 2s)->is_over);
  CHECK(stages.last(0, now + 2s)->exit_status == 3);
  CHECK(stages.last(0, now + 2s)->time == 40s);
}

TEST_CASE("others are those who have ended a stage well, and the median counts") {
  RollStages stages(6);
  const SteadyTime now{};
  stages.take(0, {StageSpan("sync", 400s)}, now);
  CHECK(stages.median("sync", now) == 0s);
  stages.take(1, {StageSpan("sync", 10s, true)}, now);
  stages.take(2, {StageSpan("sync", 99s, true), StageSpan("sync", 30s, true), StageSpan("data", 1s, true)}, now);  // the second time
  stages.take(3, {StageSpan("sync", 20s, true)}, now);
  stages.take(4, {StageSpan("sync", 1s, true, 1)}, now);
  stages.take(5, {StageSpan("sync", 1s)}, now);
  CHECK(stages.median("sync", now) == 0s);  // it is not computed for each answer
  CHECK(stages.median("sync", now + 1s) == 20s);
  CHECK(stages.median("other", now + 1s) == 0s);
}

TEST_CASE("the stages of a roll are bounded") {
  RollStages stages(1);
  std::vector<StageSpan> many;
  for (int i = 0; i < 100; ++i) many.emplace_back("s" + std::to_string(i), 1s, true);
  stages.take(0, many, SteadyTime());
  CHECK(stages.last(0, SteadyTime())->name == "s99");
  for (int i = 0; i < 10; ++i) {
    many.assign(1, StageSpan("other" + std::to_string(i), 1s));
    for (int j = 0; j < 31; ++j) many.emplace_back("more" + std::to_string(i) + "_" + std::to_string(j), 1s, true);
    stages.take(0, many, SteadyTime());
  }
  CHECK_FALSE(stages.last(0, SteadyTime()));  // there is no room for further names
}

TEST_CASE("what a process says before the barrier does not put its task on the roll") {
  Roll roll({"worker:0", "worker:1"}, 5s);
  SteadyTime now{};
  const auto early = [](std::int64_t sequence, std::vector<StageSpan> stages) {
    Hello hello;
    hello.incarnation = std::string(16, 'e');
    hello.sequence = sequence;
    hello.stage = Stage::coming;
    hello.stages = std::move(stages);
    return hello;
  };
  const auto why = [&roll] { return roll.answer().missing.back().why; };
  const std::uint64_t before = roll.changes();
  CHECK(roll.hear(1, early(1, {StageSpan("sync", 1s)}), "there", now) == Roll::Heard::kept);
  CHECK(roll.changes() > before);
  CHECK(roll.answer().here == 0);
  CHECK(roll.answer().missing.back().stage == "sync");
  now += 2s;
  roll.hear(1, early(1, {StageSpan("late copy", 1s)}), "there", now);
  CHECK(roll.answer().missing.back().stage == "sync");
  CHECK(roll.answer().missing.back().time == 3s);
  roll.hear(1, early(2, {StageSpan("sync", 3s, true)}), "there", now);
  CHECK(why() == "has ended `sync`, and has not come to the barrier");
  roll.hear(1, early(3, {StageSpan("sync", 3s, true), StageSpan("data", 1s)}), "there", now);
  now += 6s;
  roll.judge(now);
  CHECK(why() == "was at `data`, and is not heard from any more");
  CHECK(roll.answer().missing.back().stage.empty());
  // The process at the barrier is another. What is said of before then changes nothing.
  Hello hello;
  hello.incarnation = std::string(16, 'b');
  hello.sequence = 1;
  roll.hear(1, hello, "there", now);
  CHECK(roll.is_here(1));
  roll.hear(1, early(4, {StageSpan("data", 9s, true, 1)}), "there", now);
  CHECK(roll.is_here(1));
}

}  // namespace
