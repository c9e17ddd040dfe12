// Which others a member probes, and what is found where each probes some of them alone.
#include "preflight/rules/probed_places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::preflight;
using namespace rollcall::testing;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::string_view run = "0123456789abcdef";

// A cluster in which each has probed its part of the others.
Planted sampled(std::size_t members) {
  Planted planted(members);
  planted.evidence.probes_each = static_cast<int>(probes_of_each(members));
  for (std::size_t i = 0; i < members; ++i) {
    planted.rows[i].assign(members, ProbeResult::untested);
    for (const std::size_t place : places_to_probe(members, i, run)) planted.way(i, place, ProbeResult::ok);
  }
  return planted;
}

// Each way that was tested, and for which `is_meant` is true.
template <class IsMeant>
void fail(Planted& planted, IsMeant is_meant) {
  for (std::size_t i = 0; i < planted.rows.size(); ++i) {
    for (std::size_t to = 0; to < planted.rows.size(); ++to) {
      if (planted.rows[i][to] == ProbeResult::ok && is_meant(i, to)) planted.way(i, to, ProbeResult::timed_out);
    }
  }
}

TEST_CASE("up to a thousand members each probes all others, from its own place on") {
  CHECK(probes_of_each(1024) == 0);
  CHECK(places_to_probe(1, 0, run).empty());
  CHECK(places_to_probe(4, 2, run) == std::vector<std::size_t>{3, 0, 1});
  CHECK(places_to_probe(1024, 17, run).size() == 1023);
}

TEST_CASE("of more members each probes some, other ones in each run, and both neighbours") {
  std::set<std::size_t> probed_by_any;
  for (const std::size_t own : {0u, 700u, 1999u}) {
    const std::vector<std::size_t> places = places_to_probe(2000, own, run);
    const std::set<std::size_t> distinct(places.begin(), places.end());
    CHECK(distinct.size() == probes_of_each(2000));
    CHECK(distinct.size() == 66);
    CHECK(distinct.contains((own + 1) % 2000));
    CHECK(distinct.contains((own + 1999) % 2000));
    CHECK_FALSE(distinct.contains(own));
    CHECK(*distinct.rbegin() < 2000);
    CHECK(places == places_to_probe(2000, own, run));
    CHECK(places != places_to_probe(2000, own, "fedcba9876543210"));
  }
  for (std::size_t own = 0; own < 2000; ++own) {
    for (const std::size_t place : places_to_probe(2000, own, run)) probed_by_any.insert(place);
  }
  CHECK(probed_by_any.size() == 2000);
}

TEST_CASE("of many members that probe some others, hosts and blocks are found as where all probe all") {
  constexpr std::size_t members = 1500;
  const PreflightVerdict healthy = sampled(members).judged();
  CHECK(healthy.passed);
  CHECK(healthy.pairs_expected == 1500 * 66);
  CHECK(healthy.pairs_tested == healthy.pairs_expected);
  Planted in = sampled(members);
  fail(in, [](std::size_t, std::size_t to) { return to == 40; });
  const std::string not_reached = lines_of(in.judged());
  CHECK_THAT(not_reached, StartsWith("failure host reach [40] in: worker 40 (n40) is not reached on port 29500 by all "));
  CHECK_THAT(not_reached, Catch::Matchers::EndsWith("others (timed out), and reaches those that it probed\n"));
  Planted out = sampled(members);
  fail(out, [](std::size_t from, std::size_t) { return from == 41; });
  CHECK(lines_of(out.judged()) ==
        "failure host reach [41] out: worker 41 (n41) does not reach all 66 others (timed out), and is reached\n");
  Planted apart = sampled(members);
  fail(apart, [](std::size_t from, std::size_t to) { return (from < 64) != (to < 64); });
  const PreflightVerdict two_parts = apart.judged();
  REQUIRE(two_parts.findings.size() == 1);
  CHECK(two_parts.findings[0].scope == FindingScope::block);
  CHECK(two_parts.findings[0].members.size() == 64);
  Planted absent = sampled(members);
  absent.evidence.members[3].state = EvidenceState::absent;
  fail(absent, [](std::size_t, std::size_t to) { return to == 3; });
  CHECK(absent.judged().count(FindingSeverity::failure) == 1);
  CHECK_THAT(lines_of(absent.judged()), StartsWith("failure host absent [3]: "));
}

TEST_CASE("an untested way is no pass, also where each probes some others") {
  Planted planted = sampled(1500);
  for (const std::size_t place : places_to_probe(1500, 9, run)) planted.way(9, place, ProbeResult::untested);
  CHECK_FALSE(planted.judged().passed);
}

TEST_CASE("those are asked again that saw nobody where a member has reported since") {
  Planted planted(6);
  planted.into(2, ProbeResult::refused).way(2, 4, ProbeResult::timed_out).absent(5, ProbeResult::refused);
  planted.way(4, 2, ProbeResult::ok).way(0, 1, ProbeResult::large_out).way(3, 2, ProbeResult::other_program);
  CHECK(members_to_ask_again(planted.written()) == std::vector<std::size_t>{0, 1, 2});
  CHECK(members_to_ask_again(Planted(6).absent(5, ProbeResult::timed_out).written()).empty());
}

}  // namespace
