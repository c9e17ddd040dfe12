// A barrier with a fault at each of its steps, and a barrier of a thousand tasks.
#include <catch2/catch.hpp>

#include <set>

#include "meeting/meeting_story.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "support/sanitizers.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t seven = 7;  // tasks, of which 0, 2 and 4 keep the roll

void join_all(MeetingStory& story) {
  for (std::size_t i = 0; i < seven; ++i) story.join(i, 5min, {}, 1 + static_cast<std::int64_t>(i));
}

std::set<std::int64_t> generations_of(const MeetingStory& story, std::size_t tasks) {
  std::set<std::int64_t> all;
  for (std::size_t i = 0; i < tasks; ++i) {
    if (story.has_started(i)) all.insert(story.generation(i));
  }
  return all;
}

// The messages of a start without faults.
int steps_of_start() {
  MeetingStory story(seven);
  join_all(story);
  story.pass(1s);
  REQUIRE(story.started() == seven);
  return story.messages();
}

TEST_CASE("a task that keeps the roll is killed at each step, and comes again") {
  const int steps = steps_of_start();
  REQUIRE(steps > 30);
  int all_again = 0;
  for (const std::size_t keeper : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
    for (int step = 1; step <= steps; ++step) {
      INFO("task " << keeper << " at step " << step << " of " << steps);
      MeetingStory story(seven, static_cast<unsigned>(step));
      story.at_message(step, [&story, keeper] { story.kill_now(keeper); });
      join_all(story);
      story.pass(1s);
      if (!story.has_started(keeper)) story.join(keeper, 5min, {}, 3);
      story.pass(25s);
      // All start, with the killed process or the one after it. That one is left out where the other had said that it is ready.
      const std::size_t others = story.started() - (story.has_started(keeper) ? 1 : 0);
      REQUIRE(others == seven - 1);
      CHECK(generations_of(story, seven).size() == 1);
      if (story.has_started(keeper)) ++all_again;
    }
  }
  CHECK(all_again > 2 * steps);
}

TEST_CASE("the network is cut at each step, and no two parts start") {
  const int steps = steps_of_start();
  for (const std::size_t first_part : {std::size_t{1}, std::size_t{3}, std::size_t{5}}) {
    for (int step = 1; step <= steps; step += 2) {
      INFO("the first " << first_part << " are cut off at step " << step << " of " << steps);
      MeetingStory story(seven, static_cast<unsigned>(step));
      const auto cut = [&story, first_part](bool is_cut) {
        for (std::size_t a = 0; a < first_part; ++a) {
          for (std::size_t b = first_part; b < seven; ++b) story.cut(a, b, is_cut);
        }
      };
      story.at_message(step, [cut] { cut(true); });
      join_all(story);
      story.pass(3s);
      CHECK(generations_of(story, seven).size() <= 1);
      cut(false);
      story.pass(25s);
      REQUIRE(story.started() == seven);
      CHECK(generations_of(story, seven) == std::set<std::int64_t>{7});
    }
  }
}

// With messages lost, late and doubled, each task that keeps the roll killed once, and halves that do not see each other for a while.
TEST_CASE("a thousand tasks start together, and none before all are there") {
  constexpr std::size_t tasks = fewer_with_sanitizers(1000);
  std::mt19937 dice(1);
  MeetingStory story(tasks, 1);
  story.lost = 0.02;
  story.late = 0.05;
  story.doubled = 0.05;
  constexpr std::size_t third = tasks / 3;
  const std::vector<std::size_t> keepers = {0, third, 2 * third};
  for (std::size_t i = 0; i + 1 < tasks; ++i) story.join(i, 10min, {}, 1 + static_cast<std::int64_t>(dice() % 9));
  story.pass(2s);
  const std::size_t victim = keepers[dice() % keepers.size()];
  story.kill(victim);
  story.pass(1s);
  CHECK(story.started() == 0);
  story.join(victim, 10min);
  for (std::size_t a = 0; a < tasks / 2; a += third) {
    for (std::size_t b = tasks / 2; b < tasks; ++b) story.cut(a, b);
  }
  story.join(tasks - 1, 10min);
  story.pass(2s);
  CHECK(story.started() == 0);
  for (std::size_t a = 0; a < tasks / 2; a += third) {
    for (std::size_t b = tasks / 2; b < tasks; ++b) story.cut(a, b, false);
  }
  story.lost = story.late = story.doubled = 0;
  story.pass(20s);
  CHECK(story.started() == tasks);
  CHECK(generations_of(story, tasks) == std::set<std::int64_t>{9});
}

}  // namespace
