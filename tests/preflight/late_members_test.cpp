// Members of a preflight that come late, or never.
#include <catch2/catch.hpp>

#include "preflight/preflight_story.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Fault = PreflightStory::Fault;

namespace {

// Until the others have waited, and looked closely at what they did not reach.
void pass_until_probed(PreflightStory& story, int closely) {
  for (int i = 0; i < 1000 && story.probes["small"] < closely; ++i) story.pass(std::chrono::milliseconds(25));
  REQUIRE(story.probes["small"] >= closely);
}

TEST_CASE("a member that was never started is named once the time is over, also the first one") {
  for (const std::size_t absent : {0u, 1u, 3u, 5u}) {
    PreflightStory story(9);
    for (std::size_t i = 0; i < 9; ++i) {
      if (i != absent) story.join(i);
    }
    story.pass(15 * one_second);
    CHECK_FALSE(story.is_done(8));
    story.pass(40 * one_second);
    INFO(absent);
    REQUIRE(story.all_done());
    CHECK(verdict_of_all(story, 9) ==
          fmt::format("failure host absent [{0}]: worker {0}: not started: the host answers, and nothing listens on port 7000\nfailed",
                      absent));
  }
}

TEST_CASE("a member behind a firewall that came later does not wait longer than the others") {
  PreflightStory story(9);
  story.plant_into(4, Fault::cut);
  for (std::size_t i = 0; i < 9; ++i) {
    if (i != 4 && i != 7) story.join(i);
  }
  story.pass(10 * one_second);
  story.join(4);
  story.pass(30 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9) ==
        "failure host absent [7]: worker 7: not started: the host answers, and nothing listens on port 7000\n"
        "failure host reach [4] in: worker 4 (n4) is not reached on port 7000 by all 7 others (timed out), and reaches them\nfailed");
}

TEST_CASE("a member that comes when the others have waited and probed is not blamed for it") {
  for (const std::size_t late : {1u, 3u, 4u, 8u}) {
    for (const bool is_one_missing : {false, true}) {
      PreflightStory story(9);
      for (std::size_t i = 0; i < 9; ++i) {
        if (i != late && !(is_one_missing && i == 7)) story.join(i);
      }
      pass_until_probed(story, is_one_missing ? 14 : 8);
      story.join(late);
      story.pass(30 * one_second);
      INFO(late);
      REQUIRE(story.all_done());
      CHECK(verdict_of_all(story, 9) ==
            (is_one_missing ? "failure host absent [7]: worker 7: not started: the host answers, and nothing listens on port 7000\nfailed"
                            : "passed"));
    }
  }
}

TEST_CASE("members that come one after the other, late, are each probed again") {
  PreflightStory story(9);
  for (std::size_t i = 0; i < 9; ++i) {
    if (i != 2 && i != 4 && i != 5) story.join(i);
  }
  pass_until_probed(story, 18);
  for (const std::size_t late : {5u, 2u, 4u}) {
    story.join(late);
    story.pass(std::chrono::milliseconds(700));
  }
  story.pass(30 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9) == "passed");
}

}  // namespace
