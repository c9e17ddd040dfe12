// Facts by majority, clocks, and that a verdict depends on nothing but the evidence.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <set>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

TEST_CASE("a value that few have is theirs to mend") {
  Planted planted(16);
  for (std::size_t i = 0; i < 16; ++i) planted.fact(i, "driver", i == 3 || i == 8 ? "550" : "570", FindingSeverity::failure);
  const PreflightVerdict verdict = planted.judged();
  CHECK(lines_of(verdict) == "failure host driver [3,8]: worker 3 (n3) and worker 8 (n8): driver is 550, and 570 for all 14 others\n");
  CHECK(verdict.findings[0].measured == "550");
  CHECK(verdict.findings[0].others == "570");
  CHECK(verdict.findings[0].action == FindingAction::align_versions);
}

TEST_CASE("without a value that most have, the cluster is named with its groups") {
  Planted planted(4);
  for (std::size_t i = 0; i < 4; ++i) planted.fact(i, "kernel", i < 2 ? "6.1" : "6.8");
  CHECK(lines_of(planted.judged()) ==
        "warning cluster kernel []: kernel differs, and no value is that of most: worker 0 (n0) and worker 1 (n1) "
        "have 6.1; worker 2 (n2) and worker 3 (n3) have 6.8\n");
  CHECK(planted.judged().passed);
  Planted two(2);
  two.fact(0, "kernel", "6.1").fact(1, "kernel", "6.8");
  CHECK_THAT(lines_of(two.judged()), StartsWith("warning pair kernel [0,1]: "));
}

TEST_CASE("of many groups the largest are listed") {
  Planted planted(40);
  for (std::size_t i = 0; i < 40; ++i) planted.fact(i, "packages", i < 36 ? fmt::format("{:02}", i) : "zz");
  const std::string text = lines_of(planted.judged());
  CHECK_THAT(text, Contains("most: worker 36 (n36), worker 37 (n37), worker 38 (n38) and 1 more have zz; worker 0 (n0) has 00; "));
  CHECK_THAT(text, Contains("worker 6 (n6) has 06; others have 29 other values"));
}

TEST_CASE("a host without the RDMA ports that most have") {
  Planted planted(4);
  for (std::size_t i = 0; i < 4; ++i) {
    planted.fact(i, "nic_mtu", "1500");
    if (i != 2) planted.fact(i, "infiniband", "8 of 8 active");
  }
  CHECK(lines_of(planted.judged()) ==
        "warning host infiniband [2]: worker 2 (n2): infiniband is none, and 8 of 8 active for all 3 others\n");
  planted.evidence.members[2].facts.clear();  // it did not look
  CHECK(planted.judged().findings.empty());
}

TEST_CASE("jobs differ rightly, and a small job is compared with all") {
  Planted planted(8);
  for (std::size_t i = 0; i < 8; ++i) {
    planted.evidence.members[i].job = i < 4 ? "ps" : "worker";
    planted.fact(i, "gpus", i < 4 ? "0" : "8");
  }
  CHECK(planted.judged().findings.empty());
  Planted chief(8);
  chief.evidence.members[0].job = "chief";
  for (std::size_t i = 0; i < 8; ++i) chief.fact(i, "kernel", i == 0 ? "5.15" : "6.1");
  CHECK_THAT(lines_of(chief.judged()), StartsWith("warning host kernel [0]: chief 0 (n0): kernel is 5.15, and 6.1 for all 7 others"));
}

TEST_CASE("tasks of one host count once for its facts") {
  Planted planted(5);
  for (std::size_t i = 0; i < 5; ++i) planted.fact(i, "kernel", i < 3 ? "5.15" : "6.1");
  for (const std::size_t i : {0u, 1u, 2u}) {
    planted.evidence.members[i].boot_id = "b";
    planted.evidence.members[i].from = "10.0.0.1";
    planted.evidence.members[i].host = "n0";
  }
  CHECK_THAT(lines_of(planted.judged()), StartsWith("warning host kernel [0]: worker 0 (n0): kernel is 5.15, and 6.1"));
}

// Clocks are compared with those of three members, 0, 5 and 10 of 16, as far ahead as `errors` says.
Planted with_clocks(std::size_t members, const std::vector<std::int64_t>& errors) {
  Planted planted(members);
  for (std::size_t i = 0; i < members; ++i) {
    for (const int other : {0, static_cast<int>(members / 3), static_cast<int>(2 * members / 3)}) {
      if (static_cast<std::size_t>(other) == i) continue;
      ClockReading& clock = planted.evidence.members[i].clocks.emplace_back();
      clock.against = other;
      clock.ahead_us = errors[i] - errors[static_cast<std::size_t>(other)];
      clock.round_trip_us = 900 + other;
    }
  }
  return planted;
}

TEST_CASE("a clock that is wrong is named, also that of a member with which others compare theirs") {
  std::vector<std::int64_t> errors(16, 20'000);
  errors[3] = -4'200'000;
  CHECK(lines_of(with_clocks(16, errors).judged()) == "failure host clock [3]: worker 3 (n3): its clock is 4.2 s behind\n");
  errors[3] = 20'000;
  errors[5] = 320'000;
  CHECK(lines_of(with_clocks(16, errors).judged()) == "warning host clock [5]: worker 5 (n5): its clock is 0.30 s ahead\n");
  errors[5] = 90'000;
  CHECK(with_clocks(16, errors).judged().findings.empty());
}

// The members of each finding, by the name of their host, which stays with a member that moves in the list.
std::multiset<std::string> findings_by_host(const PreflightVerdict& verdict) {
  std::multiset<std::string> all;
  for (const Finding& finding : verdict.findings) {
    std::vector<std::string> hosts;
    for (const FindingMember& member : finding.members) hosts.push_back(member.name.empty() ? member.address : member.name);
    if (finding.direction == "both" || finding.scope != FindingScope::pair) std::sort(hosts.begin(), hosts.end());
    std::string line = fmt::format("{} {} {}", to_string(finding.scope), finding.check, finding.direction);
    for (const std::string& host : hosts) line += " " + host;
    all.insert(line);
  }
  return all;
}

PreflightEvidence permuted(const Planted& planted, const std::vector<std::size_t>& order) {
  const std::size_t members = order.size();
  std::vector<int> place(members);
  for (std::size_t i = 0; i < members; ++i) place[order[i]] = static_cast<int>(i);
  PreflightEvidence out = planted.evidence;
  for (std::size_t i = 0; i < members; ++i) {
    out.members[i] = planted.evidence.members[order[i]];
    for (ProbeDetail& detail : out.members[i].details) detail.to = place[static_cast<std::size_t>(detail.to)];
    std::vector<ProbeResult> row(members);
    for (std::size_t j = 0; j < members; ++j) row[j] = planted.rows[order[i]][order[j]];
    out.members[i].row = out.members[i].state == EvidenceState::reported ? ProbeRow::write(row) : "";
  }
  return out;
}

// One fault of each kind, at random places of their own.
Planted with_random_faults(std::mt19937& dice, std::size_t members, std::set<std::string>& planted_at) {
  Planted planted(members);
  std::vector<std::size_t> places(members);
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), dice);
  const auto name = [](std::size_t i) { return fmt::format("n{}", i); };
  planted.way(places[3], places[4], ProbeResult::timed_out);
  planted_at.insert("pair reach first_to_second " + name(places[3]) + " " + name(places[4]));
  if (dice() % 2 == 0) {
    planted.out_of(places[1], ProbeResult::no_route);
    planted_at.insert("host reach out " + name(places[1]));
  }
  if (dice() % 2 == 0) {
    for (std::size_t i = 5; i < 10; ++i) planted.way(places[2], places[i], ProbeResult::refused);
    planted_at.insert("host reach out " + name(places[2]));
  }
  if (dice() % 2 == 0) {
    planted.into(places[0], ProbeResult::timed_out);
    planted_at.insert("host reach in " + name(places[0]));
  }
  if (dice() % 2 == 0) {
    planted.absent(places[11], ProbeResult::refused);
    planted_at.insert("host absent  " + planted.evidence.members[places[11]].address);
  }
  return planted;
}

TEST_CASE("a host is slow by the median of all that measured, and two hosts are not compared") {
  Planted planted(5);
  const std::vector<std::string> speeds = {"11200 MB/s", "9000 MB/s", "4499 MB/s", "8900 MB/s", "9500 MB/s"};
  for (std::size_t i = 0; i < 5; ++i) planted.fact(i, "memory_speed", speeds[i]);
  CHECK(lines_of(planted.judged()) ==
        "warning host memory_speed [2]: worker 2 (n2): memory_speed is 4499 MB/s, less than half of 9000 MB/s, the median of 5 hosts\n");
  planted.evidence.members[2].facts[0].value = "4500 MB/s";
  CHECK(planted.judged().findings.empty());
  planted.evidence.members[2].facts[0].value = "fast";
  CHECK(planted.judged().findings.empty());
  Planted two(2);
  two.fact(0, "disk_read:/data", "1 MB/s").fact(1, "disk_read:/data", "900 MB/s");
  CHECK(two.judged().findings.empty());
}

TEST_CASE("where no time is that of most, no member's clock is called wrong") {
  constexpr std::int64_t five_seconds = 5'000'000;
  CHECK(lines_of(with_clocks(4, {0, 0, five_seconds, five_seconds}).judged()) ==
        "failure cluster clock [0,1,2,3]: clocks differ, and no time is that of most: worker 0 (n0) and worker 1 (n1); worker 2 (n2) and "
        "worker 3 (n3), 5.0 s ahead of the first\n");
  CHECK(lines_of(with_clocks(3, {400'000, 0, -400'000}).judged()) ==
        "warning cluster clock [0,1,2]: clocks differ, and no time is that of most: worker 2 (n2); worker 1 (n1), 0.40 s ahead of the "
        "first; worker 0 (n0), 0.80 s ahead of the first\n");
  CHECK(lines_of(with_clocks(5, {0, 0, 0, five_seconds, five_seconds}).judged()).find("cluster") == std::string::npos);
}

TEST_CASE("planted faults are found, and nothing else, whatever the order of the members") {
  std::mt19937 dice(5);
  for (int round = 0; round < 60; ++round) {
    const std::size_t members = 14 + dice() % 40;
    std::set<std::string> expected;
    Planted planted = with_random_faults(dice, members, expected);
    const PreflightVerdict verdict = planted.judged();
    const std::multiset<std::string> found = findings_by_host(verdict);
    INFO(lines_of(verdict));
    CHECK(found == std::multiset<std::string>(expected.begin(), expected.end()));
    std::vector<std::size_t> order(members);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), dice);
    CHECK(findings_by_host(judge_preflight(permuted(planted, order))) == found);
  }
}

TEST_CASE("a random graph of faults is judged, never passes, and the same evidence gives the same verdict") {
  std::mt19937 dice(9);
  for (int round = 0; round < 40; ++round) {
    const std::size_t members = 2 + dice() % 30;
    Planted planted(members);
    bool has_fault = false;
    for (std::size_t i = 0; i < members; ++i) {
      for (std::size_t j = 0; j < members; ++j) {
        if (i == j || dice() % 100 >= 100 / (1 + dice() % 20)) continue;
        const auto result = static_cast<ProbeResult>(2 + dice() % 12);
        has_fault = has_fault || (result != ProbeResult::silent && result != ProbeResult::shortage);
        planted.way(i, j, result);
      }
    }
    const PreflightVerdict verdict = planted.judged();
    INFO(lines_of(verdict));
    if (has_fault) CHECK_FALSE(verdict.passed);
    CHECK(judge_preflight(planted.evidence) == verdict);
  }
}

TEST_CASE("a list of findings is cut, and says by how many") {
  Planted planted(1100);
  for (std::size_t i = 0; i < 1100; ++i) planted.fact(i, "serial", std::to_string(i == 0 ? 1 : i));
  for (std::size_t i = 0; i < 1100; ++i) planted.fact(i, fmt::format("odd-{}", i), "x");
  CHECK(planted.judged().findings.size() <= 1000);
}

TEST_CASE("a thousand members are judged within their time and size") {
  Planted planted(1024);
  std::mt19937 dice(3);
  for (int i = 0; i < 2000; ++i) planted.way(dice() % 1024, dice() % 1024, ProbeResult::timed_out);
  planted.into(17, ProbeResult::timed_out).absent(900, ProbeResult::refused);
  const std::string text = planted.written().to_json();
  CHECK(text.size() < (1u << 20));
  const auto begin = std::chrono::steady_clock::now();
  const PreflightVerdict verdict = judge_preflight(planted.evidence);
  const auto took = std::chrono::steady_clock::now() - begin;
  WARN("judged in " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms, " << text.size() << " bytes");
  CHECK(took < std::chrono::seconds(20));
  CHECK_FALSE(verdict.passed);
}

}  // namespace
