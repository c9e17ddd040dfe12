// Hosts, pairs and parts of a cluster that are to blame for what is not reached.
#include <catch2/catch.hpp>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Matchers::StartsWith;

namespace {

TEST_CASE("a healthy cluster passes, of any size") {
  for (const std::size_t members : {1u, 2u, 3u, 16u, 100u}) {
    const PreflightVerdict verdict = Planted(members).judged();
    INFO(members << lines_of(verdict));
    CHECK(verdict.passed);
    CHECK(verdict.findings.empty());
    CHECK(verdict.unknown.empty());
    CHECK(verdict.pairs_tested == verdict.pairs_expected);
    CHECK(verdict.pairs_expected == static_cast<std::int64_t>(members * (members - 1)));
  }
}

TEST_CASE("a host that is not reached and reaches all is named alone") {
  const PreflightVerdict verdict = Planted(64).into(17, ProbeResult::timed_out).judged();
  CHECK(lines_of(verdict) ==
        "failure host reach [17] in: worker 17 (n17) is not reached on port 29500 by all 63 others (timed out), and reaches them\n");
  CHECK(verdict.findings[0].action == FindingAction::open_port);
  CHECK_FALSE(verdict.passed);
}

TEST_CASE("a host that reaches no other is named alone") {
  const PreflightVerdict verdict = Planted(16).out_of(3, ProbeResult::no_route).judged();
  CHECK(lines_of(verdict) == "failure host reach [3] out: worker 3 (n3) does not reach all 15 others (no route), and is reached by them\n");
}

TEST_CASE("a host without any way is named alone, and two of them are two") {
  const PreflightVerdict one = Planted(16).out_of(3, ProbeResult::timed_out).into(3, ProbeResult::timed_out).judged();
  CHECK(lines_of(one) == "failure host reach [3] both: worker 3 (n3) and all 15 others do not reach each other (timed out)\n");
  const PreflightVerdict two = Planted(16).into(3, ProbeResult::timed_out).into(9, ProbeResult::refused).judged();
  CHECK(lines_of(two) ==
        "failure host reach [3] in: worker 3 (n3) is not reached on port 29500 by all 15 others (timed out), and reaches 14 of them\n"
        "failure host reach [9] in: worker 9 (n9) is not reached on port 29500 by all 14 others (refused), and reaches them\n");
}

TEST_CASE("a way of one pair is the pair's fault") {
  const PreflightVerdict one_way = Planted(16).way(3, 12, ProbeResult::timed_out).judged();
  CHECK(lines_of(one_way) == "failure pair reach [3,12] first_to_second: worker 3 (n3) does not reach worker 12 (n12): timed out\n");
  const PreflightVerdict other_way = Planted(16).way(12, 3, ProbeResult::timed_out).judged();
  CHECK(lines_of(other_way) == "failure pair reach [12,3] first_to_second: worker 12 (n12) does not reach worker 3 (n3): timed out\n");
  const PreflightVerdict both = Planted(16).way(12, 3, ProbeResult::timed_out).way(3, 12, ProbeResult::refused).judged();
  CHECK(lines_of(both) == "failure pair reach [3,12] both: worker 3 (n3) does not reach worker 12 (n12), nor the other way: refused\n");
  CHECK(lines_of(Planted(2).way(0, 1, ProbeResult::timed_out).judged()) ==
        "failure pair reach [0,1] first_to_second: worker 0 (n0) does not reach worker 1 (n1): timed out\n");
  CHECK(lines_of(Planted(3).way(0, 1, ProbeResult::timed_out).judged()) ==
        "failure pair reach [0,1] first_to_second: worker 0 (n0) does not reach worker 1 (n1): timed out\n");
}

TEST_CASE("a host with several faults and most ways good is one finding with a list") {
  Planted planted(20);
  for (const std::size_t other : {2u, 4u, 6u}) planted.way(9, other, ProbeResult::timed_out);
  planted.way(14, 15, ProbeResult::timed_out);
  CHECK(lines_of(planted.judged()) ==
        "failure host reach [9] out: worker 9 (n9) does not reach 3 of 19 others (timed out), and is reached by them: worker 2 (n2), "
        "worker 4 (n4) and worker 6 (n6)\n"
        "failure pair reach [14,15] first_to_second: worker 14 (n14) does not reach worker 15 (n15): timed out\n");
}

TEST_CASE("large packets that are lost are a host's, a pair's or a block's fault, with the size that passes") {
  const PreflightVerdict pair =
      Planted(16).way(3, 12, ProbeResult::large_out).way(12, 3, ProbeResult::large_in).detail(3, 12, 1400).judged();
  CHECK(lines_of(pair) ==
        "failure pair large_packets [3,12] first_to_second: worker 3 (n3) does not reach worker 12 (n12): packets above 1400 bytes are "
        "lost\n");
  CHECK(pair.findings[0].measured == "1400 bytes");
  const PreflightVerdict host = Planted(16).into(5, ProbeResult::large_out).out_of(5, ProbeResult::large_in).detail(1, 5, 1400).judged();
  CHECK(lines_of(host) ==
        "failure host large_packets [5] in: worker 5 (n5): packets above 1400 bytes are lost on the way to it, for all 15 others\n");
  Planted both(16);
  for (std::size_t i = 0; i < 8; ++i) both.detail(i, i + 8, 1280);
  const PreflightVerdict halves = both.between({0, 8}, {8, 16}, ProbeResult::large_out).judged();
  REQUIRE(halves.findings.size() == 1);
  CHECK(halves.findings[0].scope == FindingScope::block);
  CHECK(halves.findings[0].check == "large_packets");
}

TEST_CASE("the size that passes is the one that most report, not one that was late or a single member's") {
  for (const int odd : {1240, 8940}) {
    Planted planted(16);
    for (std::size_t i = 0; i < 8; ++i) planted.detail(i, i + 8, i == 3 ? odd : 1400);
    const PreflightVerdict halves = planted.between({0, 8}, {8, 16}, ProbeResult::large_out).judged();
    REQUIRE(halves.findings.size() == 1);
    CHECK(halves.findings[0].measured == "1400 bytes");
  }
}

TEST_CASE("a large message that stops is no black hole where no size was seen to pass") {
  const PreflightVerdict verdict = Planted(8).way(3, 5, ProbeResult::large_out).judged();
  CHECK(lines_of(verdict) ==
        "unknown large_packets [3,5]: a large message did not arrive in time, and no size was seen to pass: the way may be slow\n");
  CHECK_FALSE(verdict.passed);
}

TEST_CASE("parts that do not see each other are one finding about the smaller one") {
  const PreflightVerdict verdict = Planted(16).between({0, 5}, {5, 16}, ProbeResult::timed_out).judged();
  CHECK(
      lines_of(verdict) ==
      "failure block reach [0,1,2,3,4]: worker 0 (n0), worker 1 (n1), worker 2 (n2), worker 3 (n3) and worker 4 (n4) (5 members): cut off "
      "from the other 11, 110 ways of 110 fail (timed out)\n");
  const PreflightVerdict three =
      Planted(16).between({0, 4}, {4, 16}, ProbeResult::timed_out).between({4, 7}, {7, 16}, ProbeResult::no_route).judged();
  REQUIRE(three.findings.size() == 2);
  CHECK(three.findings[0].members.size() == 4);
  CHECK(three.findings[1].members.size() == 3);
}

TEST_CASE("a block and a bad host beside it are told apart") {
  const PreflightVerdict verdict = Planted(20).between({0, 5}, {5, 20}, ProbeResult::timed_out).into(12, ProbeResult::refused).judged();
  REQUIRE(verdict.findings.size() == 2);
  CHECK(verdict.findings[0].scope == FindingScope::block);
  CHECK(verdict.findings[0].members.size() == 5);
  CHECK_THAT(verdict.findings[1].text, StartsWith("worker 12 (n12) is not reached on port 29500"));
}

TEST_CASE("two blocks of the topology between which nothing passes are named, though others reach both") {
  Planted planted(24);
  for (std::size_t i = 0; i < 24; ++i) planted.evidence.members[i].block = i < 4 ? "rack-a" : i < 10 ? "rack-b" : "rack-c";
  planted.between({0, 4}, {4, 10}, ProbeResult::timed_out);
  CHECK_THAT(lines_of(planted.judged()),
             StartsWith("failure block reach [0,1,2,3]: rack-a: worker 0 (n0), worker 1 (n1), worker 2 (n2) and "
                        "worker 3 (n3) (4 members): cut off from rack-b, 48 ways of 48 fail (timed out)\n"));
  CHECK(planted.judged().findings.size() == 1);
}

TEST_CASE("silence on a connection is not known, and more than a tenth of a member's ways is no pass") {
  const PreflightVerdict few = Planted(16).way(3, 5, ProbeResult::silent).judged();
  CHECK(lines_of(few) == "unknown reach [5]: no process answered on the connection: its processors may be busy\n");
  CHECK(few.passed);
  Planted many(16);
  for (std::size_t i = 0; i < 4; ++i) many.way(i, 5, ProbeResult::silent);
  CHECK_FALSE(many.judged().passed);
  CHECK_FALSE(Planted(16).out_of(3, ProbeResult::untested).judged().passed);
  Planted blind(4);
  for (std::size_t i = 0; i < 4; ++i) blind.out_of(i, ProbeResult::untested);
  CHECK_FALSE(blind.judged().passed);
}

}  // namespace
