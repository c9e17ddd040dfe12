// Preflights whose members come when they like, die, and lose messages: none passes that must not.
#include <catch2/catch.hpp>

#include <algorithm>

#include "preflight/preflight_story.hpp"
#include "support/sanitizers.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr auto one_tenth = std::chrono::milliseconds(100);

// Members that come at given times, in tenths of a second; -1: never.
void come(PreflightStory& story, const std::vector<int>& times) {
  for (int now = 0; now <= 80; ++now) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == now) story.join(i);
    }
    story.pass(one_tenth);
  }
}

// How many of those that came say that all is well.
std::size_t passes_of(const PreflightStory& story, std::size_t members) {
  std::size_t passes = 0;
  for (std::size_t i = 0; i < members; ++i) passes += story.has_passed(i) ? 1 : 0;
  return passes;
}

TEST_CASE("in random preflights all that came in time pass, late ones are no failure while others probe, and one that never came is") {
  std::size_t all_passed = 0;
  for (unsigned seed = 0; seed < fewer_with_sanitizers(150); ++seed) {
    std::mt19937 dice(seed);
    const std::size_t members = 2 + dice() % 9;
    PreflightStory story(members);
    story.wait_for_missing = 6 * one_second;
    std::vector<int> times;
    for (std::size_t i = 0; i < members; ++i) times.push_back(static_cast<int>(dice() % 20));
    const auto kind = static_cast<int>(dice() % 3);
    if (kind == 1) times[dice() % members] = 40 + static_cast<int>(dice() % 40);
    if (kind == 2) times[dice() % members] = -1;
    come(story, times);
    story.pass(60 * one_second);
    INFO("seed " << seed);
    REQUIRE(story.all_done());
    const std::size_t passes = passes_of(story, members);
    CHECK((passes == 0 || passes == members));
    if (kind == 0) CHECK(passes == members);
    if (kind == 2) CHECK(passes == 0);
    all_passed += passes == members ? 1 : 0;
  }
  CHECK(all_passed > fewer_with_sanitizers(60));  // some of those with a late one, too
}

TEST_CASE("in random preflights with lost, late and doubled messages and members that die, none passes without all") {
  for (unsigned seed = 0; seed < fewer_with_sanitizers(150); ++seed) {
    std::mt19937 dice(seed);
    const std::size_t members = 3 + dice() % 8;
    PreflightStory story(members);
    story.dice.seed(seed);
    story.wait_for_missing = 6 * one_second;
    story.lost = 0.05 * static_cast<double>(dice() % 3);
    story.late = 0.05 * static_cast<double>(dice() % 3);
    story.doubled = 0.1;
    std::vector<int> times;
    for (std::size_t i = 0; i < members; ++i) times.push_back(static_cast<int>(dice() % 60));
    const std::size_t absent = dice() % members;
    times[absent] = -1;
    come(story, times);
    const std::size_t dying = dice() % members;
    if (dying != absent && dice() % 2 == 0) story.kill(dying);
    story.pass(200 * one_second);
    INFO("seed " << seed);
    REQUIRE(story.all_done());
    CHECK(passes_of(story, members) == 0);
  }
}

}  // namespace
