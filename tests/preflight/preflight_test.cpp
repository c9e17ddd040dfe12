// A preflight as its members see it.
#include "preflight/preflight_story.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Matchers::Contains;
using Fault = PreflightStory::Fault;

namespace {

TEST_CASE("healthy members pass, and all say the same, soon after the last one has come") {
  for (const std::size_t members : {1u, 2u, 3u, 5u, 16u}) {
    PreflightStory story(members);
    for (std::size_t i = 1; i < members; ++i) story.join(i);
    story.pass(3 * one_second);
    story.join(0);
    story.pass(2 * one_second);
    INFO(members);
    CHECK(story.all_done());
    CHECK(verdict_of_all(story, members) == "passed");
    CHECK(story.verdict(0).pairs_tested == static_cast<std::int64_t>(members * (members - 1)));
  }
}

TEST_CASE("a way that is fine takes one exchange, and only others are looked at closely") {
  PreflightStory healthy(9);
  healthy.join_all();
  healthy.pass(5 * one_second);
  REQUIRE(healthy.all_done());
  CHECK(healthy.probes["both"] == 72);
  CHECK(healthy.probes["small"] == 0);
  PreflightStory story(9);
  story.plant(5, 1, Fault::large);
  story.join_all();
  story.pass(60 * one_second);
  REQUIRE(story.all_done());
  CHECK(story.probes["both"] == 72);
  CHECK(story.probes["small"] == 2);  // the other one's answers are lost as well
}

TEST_CASE("a gatherer does not wait for members that have the verdict of another one") {
  PreflightStory story(9);
  story.plant(8, 3, Fault::cut);  // worker 3, which gathers, waits for a report that does not come
  story.join_all();
  int tenths = 0;
  const auto pass_until_done = [&](std::size_t member) {
    for (tenths = 0; !story.is_done(member) && tenths < 600; ++tenths) story.pass(std::chrono::milliseconds(100));
    REQUIRE(story.is_done(member));
  };
  pass_until_done(0);
  pass_until_done(3);
  CHECK(tenths <= 25);
}

TEST_CASE("a member behind a firewall is named by all") {
  PreflightStory story(9);
  story.plant_into(4, Fault::cut);
  story.join_all();
  story.pass(30 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9) ==
        "failure host reach [4] in: worker 4 (n4) is not reached on port 7000 by all 8 others (timed out), and reaches them\nfailed");
}

TEST_CASE("a way that is slow has no size of packets that pass") {
  PreflightStory story(9);
  story.plant(5, 1, Fault::slow);
  story.join_all();
  story.pass(60 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9).find("packets above") == std::string::npos);
}

TEST_CASE("one way of a pair is named, a lost large message too") {
  PreflightStory story(9);
  story.plant(2, 7, Fault::cut);
  story.plant(5, 1, Fault::large);
  story.join_all();
  story.pass(60 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9) ==
        "failure pair large_packets [5,1] first_to_second: worker 5 (n5) does not reach worker 1 (n1): packets above 1400 bytes are lost\n"
        "failure pair reach [2,7] first_to_second: worker 2 (n2) does not reach worker 7 (n7): timed out\n"
        "failed");
}

TEST_CASE("a member behind a black hole does not wait for one after the other") {
  constexpr std::size_t members = 40;
  PreflightStory story(members);
  story.plant_into(4, Fault::large);
  for (std::size_t i = 0; i < members; ++i) story.plant(4, i, Fault::large);
  story.join_all();
  story.pass(14 * one_second);
  REQUIRE(story.all_done());
  CHECK(
      verdict_of_all(story, members) ==
      "failure host large_packets [4] both: worker 4 (n4): packets above 1400 bytes are lost on the way to and from it, for all 39 others\n"
      "failed");
}

TEST_CASE("a clock that is ahead is named, and by how much, also a gatherer's") {
  for (const std::size_t wrong : {0u, 3u, 7u}) {
    PreflightStory story(9);
    story.skew(wrong, std::chrono::milliseconds(4200));
    story.join_all();
    story.pass(30 * one_second);
    INFO(wrong);
    REQUIRE(story.all_done());
    CHECK(verdict_of_all(story, 9) == fmt::format("failure host clock [{0}]: worker {0} (n{0}): its clock is 4.2 s ahead\nfailed", wrong));
  }
  PreflightStory two(2);
  two.skew(1, -std::chrono::milliseconds(300));
  two.join_all();
  two.pass(30 * one_second);
  REQUIRE(two.all_done());
  CHECK(verdict_of_all(two, 2) == "warning pair clock [0,1]: worker 0 (n0) and worker 1 (n1): their clocks are 0.30 s apart\npassed");
}

TEST_CASE("packages that differ are named, also a gatherer's") {
  for (const std::size_t odd : {0u, 3u, 5u}) {
    PreflightStory story(9);
    for (std::size_t i = 0; i < 9; ++i) story.install(i, {i == odd ? "numpy-1.26.4" : "numpy-2.1.0", "torch-2.6.0"});
    story.join_all();
    story.pass(30 * one_second);
    INFO(odd);
    REQUIRE(story.all_done());
    CHECK(verdict_of_all(story, 9) ==
          fmt::format(
              "warning host packages [{0}]: worker {0} (n{0}): packages differ from those of all 8 others: numpy 1.26.4, not 2.1.0\npassed",
              odd));
  }
}

TEST_CASE("a list of packages that is not what its member is compared by says nothing of others") {
  const std::vector<std::string> old = {"numpy-1.26.4"};
  const std::vector<std::string> usual = {"numpy-2.1.0"};
  PreflightStory story(9);
  story.install(0, old);
  story.install(1, usual, {"numpy-6.6.6"});
  for (std::size_t i = 2; i < 9; ++i) story.install(i, usual);
  story.join_all();
  story.pass(30 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9) == fmt::format("warning host packages [0]: worker 0 (n0): packages is {}, and {} for all 8 others\npassed",
                                                package_digest(old), package_digest(usual)));
}

TEST_CASE("a member without any network gives its own verdict soon, and the others name it") {
  PreflightStory story(9);
  for (std::size_t i = 0; i < 9; ++i) {
    story.plant(4, i, Fault::cut);
    story.plant(i, 4, Fault::cut);
  }
  story.join_all();
  story.pass(story.wait_for_missing + 16 * one_second);
  REQUIRE(story.is_done(4));
  CHECK_FALSE(story.verdict(4).passed);
  CHECK_THAT(lines_of(story.verdict(4)), Contains("worker:4 got no verdict from those that gather reports (worker:0, worker:3, worker:6); "
                                                  "of the 8 others it saw: 8 timed_out"));
  story.pass(30 * one_second);
  REQUIRE(story.all_done());
  CHECK(verdict_of_all(story, 9, 4) ==
        "failure host absent [4]: worker 4: down or cut off: the host does not answer on port 7000 (timed out)\nfailed");
}

TEST_CASE("a member whose port is taken says so itself, also one that was to gather reports") {
  for (const std::size_t taken : {0u, 3u, 4u}) {
    PreflightStory story(9);
    story.take_port(taken);
    story.join_all();
    story.pass(60 * one_second);
    INFO(taken);
    REQUIRE(story.all_done());
    CHECK(verdict_of_all(story, 9) ==
          fmt::format("failure host port [{0}]: worker {0} (n{0}): port 7000 of this host is not free\nfailed", taken));
  }
}

TEST_CASE("the verdict of a gatherer to which all reports came counts before that of the first one") {
  PreflightStory story(12);  // 0, 4 and 8 gather
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 3; b < 6; ++b) {
      story.plant(a, b, Fault::cut);
      story.plant(b, a, Fault::cut);
    }
  }
  story.join_all();
  story.pass(story.wait_for_missing + 30 * one_second);
  REQUIRE(story.all_done());
  const std::string all = verdict_of_all(story, 12);
  CHECK_THAT(all, !Contains("others say") && !Contains("absent"));
  for (std::size_t i = 0; i < 12; ++i) CHECK(story.verdict(i).present == 12);
}

TEST_CASE("two halves that do not see each other both judge, and do not pass") {
  PreflightStory story(8);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 4; b < 8; ++b) {
      story.plant(a, b, Fault::cut);
      story.plant(b, a, Fault::cut);
    }
  }
  story.join_all();
  story.pass(90 * one_second);
  REQUIRE(story.all_done());
  for (std::size_t i = 0; i < 8; ++i) CHECK_FALSE(story.verdict(i).passed);
  CHECK_THAT(lines_of(story.verdict(1)), Contains("failure block absent [4,5,6,7]"));
  CHECK_THAT(lines_of(story.verdict(6)), Contains("failure block absent [0,1,2,3]"));
}

TEST_CASE("a member with another list is named, and learns it") {
  PreflightStory story(9);
  std::vector<meeting::MeetingTask> shorter = story.tasks();
  shorter.pop_back();
  for (std::size_t i = 0; i < 9; ++i) story.join(i, "", i == 4 ? shorter : std::vector<meeting::MeetingTask>());
  story.pass(90 * one_second);
  REQUIRE(story.all_done());
  CHECK_THAT(verdict_of_all(story, 9, 4),
             Contains("failure host identity [4]: worker 4 is not what answers at n4:7000: a member of another "
                      "list answers there\nfailed"));
  CHECK_FALSE(story.verdict(4).passed);
  CHECK_THAT(lines_of(story.verdict(4)), Contains("got no verdict"));
}

TEST_CASE("members that share a secret pass, and say so") {
  for (const std::string secret : {"", "a secret of that many bytes"}) {
    PreflightStory story(9);
    story.secret = secret;
    story.join_all();
    story.pass(3 * one_second);
    REQUIRE(story.all_done());
    CHECK(verdict_of_all(story, 9) == "passed");
    CHECK(story.verdict(8).authenticated == !secret.empty());
  }
}

TEST_CASE("a member with another secret, or none, is named with that, also where it gathers reports") {
  for (const std::size_t odd : {0u, 4u, 6u}) {
    for (const bool has_one : {true, false}) {
      PreflightStory story(9);
      story.secret = "a secret of that many bytes";
      story.secrets[odd] = has_one ? "another secret of that size" : "";
      story.join_all();
      story.pass(120 * one_second);
      INFO("worker " << odd << (has_one ? " has another" : " has none"));
      REQUIRE(story.all_done());
      CHECK(verdict_of_all(story, 9, odd) == fmt::format("failure host identity [{0}]: worker {0}, at 127.0.0.1, {1}\nfailed", odd,
                                                         has_one ? "has another secret" : "has no secret, and the others share one"));
      CHECK_FALSE(story.verdict(odd).passed);
    }
  }
}

TEST_CASE("a hung member is no pass, and its silence is not called a firewall") {
  PreflightStory story(6);
  story.plant_into(3, Fault::hung);
  story.join_all();
  story.pass(90 * one_second);
  REQUIRE(story.all_done());
  CHECK_FALSE(story.verdict(0).passed);
  CHECK_THAT(lines_of(story.verdict(0)), !Contains("firewall"));
}

TEST_CASE("whenever a gatherer dies, there is no pass, and the others end with a verdict") {
  for (const std::size_t dying : {0u, 3u}) {
    for (int at = 0; at < 2500; at += 100) {
      PreflightStory story(9);
      for (std::size_t i = 0; i < 8; ++i) story.join(i);
      story.pass(one_second);
      story.plant(1, 7, Fault::cut);  // so that it takes some seconds
      story.join(8);
      story.pass(std::chrono::milliseconds(at));
      story.kill(dying);
      story.pass(120 * one_second);
      INFO("worker " << dying << " died after " << at << " ms");
      REQUIRE(story.all_done());
      for (std::size_t i = 0; i < 9; ++i) {
        if (i != dying) CHECK_FALSE(story.verdict(i).passed);
      }
    }
  }
}

TEST_CASE("the evidence that a gatherer judged by gives the same verdict again") {
  PreflightStory story(9);
  story.plant_into(4, Fault::refused);
  story.join_all();
  story.pass(60 * one_second);
  REQUIRE(story.evidence(0).has_value());
  const Result<PreflightEvidence> again = PreflightEvidence::from_json(story.evidence(0)->to_json());
  REQUIRE(again.has_value());
  CHECK(judge_preflight(*again) == story.verdict(8));
}

}  // namespace
