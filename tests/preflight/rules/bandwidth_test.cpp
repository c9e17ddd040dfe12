// Bandwidth in rounds: simulated links, of which some are slow.
#include "preflight/rules/bandwidth.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::preflight;
using namespace rollcall::testing;
using Catch::Matchers::Contains;

namespace {

// Measures as a cluster would: what passes is the least of the sender's, the receiver's and the pair's rate, less some noise.
class SimulatedLinks {
 public:
  explicit SimulatedLinks(std::size_t members, unsigned seed = 1) : planted(members), in(members, 25'000'000), out(in), dice_(seed) {
    planted.evidence.has_bandwidth = true;
    planted.evidence.run = fmt::format("{:016x}", seed);
  }

  /// All rounds.
  PreflightVerdict measured() {
    planted.written();
    for (rounds = 0;; ++rounds) {
      const std::vector<MeasuredPair> pairs = pairs_to_measure(planted.evidence, rounds);
      if (pairs.empty()) break;
      std::set<std::size_t> met;
      for (const auto& [a, b] : pairs) {
        CHECK((met.insert(a).second && met.insert(b).second));
        measure(a, b);
        measure(b, a);
      }
    }
    return planted.judged();
  }

  Planted planted;
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> out;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> pair_rates;
  std::set<std::size_t> busy;
  std::size_t rounds = 0;

 private:
  void measure(std::size_t from, std::size_t to) {
    std::int64_t rate = std::min(out[from], in[to]);
    if (const auto at = pair_rates.find({from, to}); at != pair_rates.end()) rate = std::min(rate, at->second);
    BandwidthMeasure& measure = planted.evidence.members[to].measures.emplace_back();
    measure.from = static_cast<int>(from);
    measure.is_of_network = !busy.contains(from) && !busy.contains(to);
    const auto noise = static_cast<std::int64_t>(dice_() % 25);
    measure.bytes_per_second = rate / 100 * (100 - noise) / (measure.is_of_network ? 1 : 20);
  }
  std::mt19937 dice_;
};

TEST_CASE("healthy links pass after two rounds") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SimulatedLinks links(16, seed);
    const PreflightVerdict verdict = links.measured();
    INFO(lines_of(verdict));
    CHECK(verdict.passed);
    CHECK(links.rounds == 2);
  }
}

TEST_CASE("a link that is slow in, out or both ways is named in a few rounds, and no other") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    for (const std::string_view direction : {"in", "out", "both"}) {
      SimulatedLinks links(16, seed);
      if (direction != "out") links.in[6] = 5'000'000;
      if (direction != "in") links.out[6] = 5'000'000;
      const PreflightVerdict verdict = links.measured();
      INFO(seed << " " << lines_of(verdict));
      REQUIRE(verdict.findings.size() == 1);
      CHECK(verdict.unknown.empty());
      CHECK_FALSE(verdict.passed);
      CHECK(verdict.findings[0].check == "bandwidth");
      CHECK(verdict.findings[0].direction == direction);
      CHECK(verdict.findings[0].members[0].index == 6);
      CHECK(links.rounds <= 5);
    }
  }
}

TEST_CASE("the text of a slow link has both rates") {
  SimulatedLinks links(16);
  links.in[6] = 5'000'000;
  const std::string lines = lines_of(links.measured());
  CHECK_THAT(lines, Contains("failure host bandwidth [6] in: worker 6 (n6) receives "));
  CHECK_THAT(lines, Contains(" Mbit/s at most, with 3 others; the median of all hosts is 1"));
}

TEST_CASE("several slow links are all named") {
  SimulatedLinks links(32, 7);
  for (const std::size_t slow : {3u, 9u, 20u}) links.out[slow] = 4'000'000;
  const PreflightVerdict verdict = links.measured();
  INFO(lines_of(verdict));
  CHECK(verdict.findings.size() == 3);
  CHECK(verdict.unknown.empty());
}

TEST_CASE("a slow way of one pair is that pair's, once it was slow twice") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SimulatedLinks links(8, seed);
    const MeasuredPair met = pairs_to_measure(links.planted.written(), 0).front();
    links.pair_rates[{met.first, met.second}] = 3'000'000;
    const PreflightVerdict verdict = links.measured();
    INFO(lines_of(verdict));
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].scope == FindingScope::pair);
    CHECK(verdict.findings[0].members[0].index == static_cast<int>(met.first));
  }
}

TEST_CASE("a busy host is not called slow, and some of them do not keep the others from a pass") {
  SimulatedLinks links(16, 3);
  links.busy = {5};
  const PreflightVerdict one = links.measured();
  INFO(lines_of(one));
  CHECK(one.findings.empty());
  CHECK(one.passed);
  REQUIRE(one.unknown.size() == 1);
  CHECK(one.unknown[0].members.size() == 1);
  SimulatedLinks many(16, 3);
  many.busy = {1, 5, 8};
  const PreflightVerdict three = many.measured();
  INFO(lines_of(three));
  CHECK(three.findings.empty());
  CHECK_FALSE(three.passed);
}

TEST_CASE("pairs that do not reach each other, and tasks of one host, are not measured") {
  Planted planted(6);
  planted.way(0, 1, ProbeResult::timed_out).absent(5, ProbeResult::refused);
  for (const std::size_t i : {2u, 3u}) {
    planted.evidence.members[i].boot_id = "b";
    planted.evidence.members[i].host = "n2";
  }
  for (std::size_t round = 0; round < 2; ++round) {
    for (const auto& [a, b] : pairs_to_measure(planted.written(), round)) {
      CHECK(a + b != 1);
      CHECK((a != 3 && b != 3 && a != 5 && b != 5));
    }
  }
  CHECK(pairs_to_measure(Planted(1).written(), 0).empty());
}

}  // namespace
