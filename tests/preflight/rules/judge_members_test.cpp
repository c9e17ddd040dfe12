// Members that did not come, are not who they say, or find wrong addresses.
#include <catch2/catch.hpp>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

IdentityClaim claim_of(std::string from, std::string why, std::string text = {}) {
  IdentityClaim claim;
  claim.from = std::move(from);
  claim.why = std::move(why);
  claim.text = std::move(text);
  return claim;
}

TEST_CASE("what the others saw of a port says why its member is absent") {
  const auto line = [](ProbeResult seen) { return lines_of(Planted(16).absent(9, seen).judged()); };
  const std::string at = "failure host absent [9]: worker 9: ";
  CHECK(line(ProbeResult::refused) == at + "not started: the host answers, and nothing listens on port 29500\n");
  CHECK(line(ProbeResult::timed_out) == at + "down or cut off: the host does not answer on port 29500 (timed out)\n");
  CHECK(line(ProbeResult::no_route) == at + "down or cut off: the host does not answer on port 29500 (no route)\n");
  CHECK(line(ProbeResult::silent) == at + "hung: port 29500 takes connections, and no process answers\n");
  CHECK(line(ProbeResult::other_program) == at + "not there: another program answers on port 29500\n");
  CHECK(line(ProbeResult::ok) == at + "cut off: the others reach its port 29500, and it reached none of the members that gather reports\n");
  CHECK(line(ProbeResult::untested) == at + "not there: it was not heard from\n");
  Planted lost(16);
  lost.evidence.members[9].state = EvidenceState::joined;
  CHECK_THAT(lines_of(lost.judged()), Contains("lost: it came, and has not reported what it saw"));
}

TEST_CASE("a member with an address of the other family, to which there is no route, is named with that") {
  Planted planted(16);
  planted.evidence.members[9].address = "[fd99::9]:29500";
  CHECK(
      lines_of(planted.absent(9, ProbeResult::no_route).judged()) ==
      "failure host absent [9]: worker 9: cut off: its address is of IPv6, those of 15 others are of IPv4, and they have no route to it\n");
}

TEST_CASE("a member whose report is lost as its large messages are is named with that cause") {
  for (const bool is_in : {true, false}) {
    Planted planted(9);
    planted.into(4, is_in ? ProbeResult::large_out : ProbeResult::large_in);
    for (std::size_t i = 0; i < 9; ++i) {
      if (i != 4) planted.detail(i, 4, 1280);
    }
    planted.evidence.members[4].state = EvidenceState::joined;
    const PreflightVerdict verdict = planted.judged();
    INFO(lines_of(verdict));
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].check == "large_packets");
    CHECK(verdict.findings[0].direction == (is_in ? "in" : "out"));
    CHECK_FALSE(verdict.passed);
  }
}

TEST_CASE("an absent member never passes, whatever was seen of it") {
  for (int result = 0; result <= static_cast<int>(ProbeResult::shortage); ++result) {
    const PreflightVerdict verdict = Planted(16).absent(9, static_cast<ProbeResult>(result)).judged();
    INFO(result << lines_of(verdict));
    CHECK_FALSE(verdict.passed);
    CHECK(verdict.count(FindingSeverity::failure) == 1);
  }
}

TEST_CASE("several that are down at once are one block, if they are one or a third of all") {
  Planted third(16);
  for (std::size_t i = 8; i < 16; ++i) third.absent(i, ProbeResult::timed_out);
  const PreflightVerdict verdict = third.judged();
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].scope == FindingScope::block);
  CHECK(verdict.findings[0].members.size() == 8);
  CHECK(verdict.present == 8);
  Planted rack(16);
  for (std::size_t i = 0; i < 16; ++i) rack.evidence.members[i].block = i < 2 ? "rack-a" : "rack-b";
  rack.absent(0, ProbeResult::timed_out).absent(1, ProbeResult::timed_out);
  CHECK_THAT(lines_of(rack.judged()), StartsWith("failure block absent [0,1]: rack-a: "));
  Planted two(16);
  two.absent(4, ProbeResult::timed_out).absent(9, ProbeResult::timed_out);
  CHECK(two.judged().findings.size() == 2);
}

TEST_CASE("an absent member does not make a host of those that do not reach it") {
  const PreflightVerdict verdict = Planted(4).absent(2, ProbeResult::timed_out).absent(3, ProbeResult::refused).judged();
  CHECK(lines_of(verdict) ==
        "failure host absent [3]: worker 3: not started: the host answers, and nothing listens on port 29500\n"
        "failure host absent [2]: worker 2: down or cut off: the host does not answer on port 29500 (timed out)\n");
}

TEST_CASE("an index that two processes claim is named, and nothing that either saw is believed") {
  Planted planted(16);
  planted.evidence.members[5].claims.push_back(claim_of("10.0.0.10", "taken"));
  planted.out_of(5, ProbeResult::timed_out).into(9, ProbeResult::other_member).absent(9, ProbeResult::other_member);
  const std::string lines = lines_of(planted.judged());
  CHECK_THAT(lines, StartsWith("failure host identity [5]: worker 5 (n5) is two processes or more: from 10.0.0.6, from 10.0.0.10 (the "
                               "address of worker 9)\n"));
  CHECK_THAT(lines, Contains("failure host identity [9]: worker 9 is not what answers at 10.0.0.10:29500: another member answers there"));
  CHECK(planted.judged().findings.size() == 2);
}

TEST_CASE("a member with another list, secret or version is named with that") {
  Planted planted(16);
  planted.evidence.members[5].claims.push_back(claim_of("10.0.0.6", "other_list", "63 members, not 64"));
  planted.absent(5, ProbeResult::other_list);
  CHECK(lines_of(planted.judged()) ==
        "failure host identity [5]: worker 5, at 10.0.0.6, was started with another list of members, or for "
        "another run: 63 members, not 64\n");
  CHECK(lines_of(Planted(16).absent(5, ProbeResult::other_secret).judged()) ==
        "failure host identity [5]: worker 5 is not what answers at 10.0.0.6:29500: a member with another secret answers there\n");
  Planted beside(16);
  beside.evidence.members[5].claims.push_back(claim_of("10.9.9.9", "other_list"));
  const PreflightVerdict verdict = beside.judged();
  CHECK(verdict.passed);
  CHECK(verdict.count(FindingSeverity::warning) == 1);
}

TEST_CASE("a member that finds a wrong address for a name is named with both addresses") {
  Planted planted(16);
  planted.evidence.members[4].address = "w4:29500";
  planted.way(7, 4, ProbeResult::other_member).detail(7, 4, 0, "10.0.0.12", 11);
  CHECK(lines_of(planted.judged()) ==
        "failure host names [7]: worker 7 (n7) finds wrong addresses for 1 member: w4:29500 is 10.0.0.12, where "
        "worker 11 (n11) answers, and 10.0.0.5 for the others\n");
  Planted full(16);
  for (std::size_t i = 0; i < 16; ++i) full.detail(i, 4, 0, i == 7 ? "10.0.0.99" : "10.0.0.5");
  full.way(7, 4, ProbeResult::timed_out);
  CHECK_THAT(lines_of(full.judged()), Contains("is 10.0.0.99, and 10.0.0.5 for the others"));
  Planted by_answer(16);  // the address is not known
  by_answer.evidence.members[4].address = "w4:29500";
  by_answer.way(7, 4, ProbeResult::other_member).detail(7, 4, 0, "", 11);
  CHECK_THAT(lines_of(by_answer.judged()),
             StartsWith("failure host names [7]: worker 7 (n7) finds wrong addresses for 1 member: w4:29500 is "
                        "another address, where worker 11 (n11) answers, and 10.0.0.5 for the others"));
  Planted other_way(16);  // a host with two addresses
  other_way.detail(7, 4, 0, "10.0.0.99");
  CHECK(other_way.judged().passed);
}

TEST_CASE("names without an address are the member's or the reader's fault") {
  CHECK(lines_of(Planted(16).into(4, ProbeResult::unknown_name).judged()) ==
        "failure host names [4]: worker 4 (n4) has a name without an address: all 15 do not find 10.0.0.5:29500\n");
  CHECK_THAT(lines_of(Planted(16).out_of(4, ProbeResult::unknown_name).judged()),
             StartsWith("failure host names [4]: worker 4 (n4) finds no address for 15 of the others, which they find: "));
}

TEST_CASE("a member whose port is taken is named by its own finding alone") {
  Planted planted(16);
  Finding port;
  port.check = "port";
  port.text = "port 29500 is in use by nginx (812)";
  planted.evidence.members[6].findings.push_back(port);
  planted.into(6, ProbeResult::other_program);
  CHECK(lines_of(planted.judged()) == "failure host port [6]: worker 6 (n6): port 29500 is in use by nginx (812)\n");
  planted.evidence.members[6].findings[0].text = "port 29500 is in use";
  planted.into(6, ProbeResult::other_list);
  CHECK(lines_of(planted.judged()) ==
        "failure host port [6]: worker 6 (n6): port 29500 is in use; a member of another list answers there\n");
}

TEST_CASE("hosts that are down are one finding, whether connections to them time out or have no route any more") {
  Planted half(16);
  for (std::size_t i = 8; i < 16; ++i) half.absent(i, i < 11 ? ProbeResult::no_route : ProbeResult::timed_out);
  const PreflightVerdict verdict = half.judged();
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].scope == FindingScope::block);
  CHECK(verdict.findings[0].members.size() == 8);
  CHECK_THAT(verdict.findings[0].text, Contains("(timed out)"));
  Planted two(16);
  two.absent(3, ProbeResult::no_route).absent(4, ProbeResult::timed_out);
  CHECK_THAT(lines_of(two.judged()), Contains("worker 3: down or cut off: the host does not answer on port 29500 (no route)") &&
                                         Contains("worker 4: down or cut off: the host does not answer on port 29500 (timed out)"));
}

TEST_CASE("what several tasks of one host find about it is said once") {
  Planted planted(4);
  for (const std::size_t i : {0u, 1u}) {
    planted.evidence.members[i].boot_id = "b";
    planted.evidence.members[i].from = "10.0.0.1";
    planted.evidence.members[i].host = "n0";
    Finding disk;
    disk.check = "disk:/data";
    disk.text = "/data has 3 GiB, not 200 GiB";
    planted.evidence.members[i].findings.push_back(disk);
  }
  CHECK(planted.judged().findings.size() == 1);
}

}  // namespace
