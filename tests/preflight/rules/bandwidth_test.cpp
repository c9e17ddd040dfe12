// Bandwidth in rounds: simulated links, of which some are slow.
#include "preflight/rules/bandwidth.hpp"

#include <catch2/catch.hpp>

#include <functional>
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
      const std::int64_t order = static_cast<std::int64_t>(rounds) * 2;
      for (const auto& [a, b] : pairs) {
        CHECK((met.insert(a).second && met.insert(b).second));
        measure(a, b, order + 1);
        measure(b, a, order + 2);
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
  /// Its members lie about themselves: the receiver's end, and the sender's.
  std::function<void(BandwidthMeasure&, SentFlow&)> on_measured;

 private:
  void measure(std::size_t from, std::size_t to, std::int64_t order) {
    std::int64_t rate = std::min(out[from], in[to]);
    if (const auto at = pair_rates.find({from, to}); at != pair_rates.end()) rate = std::min(rate, at->second);
    BandwidthMeasure& measure = planted.evidence.members[to].measures.emplace_back();
    SentFlow& flow = planted.evidence.members[from].sent.emplace_back();
    measure.from = static_cast<int>(from);
    flow.to = static_cast<int>(to);
    measure.order = flow.order = order;
    flow.is_of_network = !busy.contains(from) && !busy.contains(to);
    const auto noise = static_cast<std::int64_t>(dice_() % 25);
    measure.bytes_per_second = rate / 100 * (100 - noise) / (flow.is_of_network ? 1 : 20);
    flow.bytes_per_second = measure.bytes_per_second / 100 * (100 + static_cast<std::int64_t>(dice_() % 10));  // some is on the way
    if (on_measured) on_measured(measure, flow);
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
    planted.evidence.members[i].from = "10.0.0.1";
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

// What a member may report of its own ends.
enum class Lie { more_received, less_received, more_sent, less_sent, more, less };

// Every flow with one of `liars`, as it reports it.
void let_lie(SimulatedLinks& links, std::set<std::size_t> liars, Lie lie) {
  constexpr std::int64_t absurd = std::int64_t{1} << 50;
  links.on_measured = [liars, lie](BandwidthMeasure& measure, SentFlow& flow) {
    const bool is_receiver = liars.contains(static_cast<std::size_t>(flow.to));
    const bool is_sender = liars.contains(static_cast<std::size_t>(measure.from));
    if (is_receiver && (lie == Lie::more_received || lie == Lie::more)) measure.bytes_per_second = absurd;
    if (is_receiver && (lie == Lie::less_received || lie == Lie::less)) measure.bytes_per_second = 1000;
    if (is_sender && (lie == Lie::more_sent || lie == Lie::more)) flow.bytes_per_second = absurd;
    if (is_sender && (lie == Lie::less_sent || lie == Lie::less)) flow.bytes_per_second = 1000;
  };
}

TEST_CASE("members that lie about their measures are named, and no other") {
  for (const std::size_t members : {16u, 64u}) {
    for (const Lie lie : {Lie::more_received, Lie::less_received, Lie::more_sent, Lie::less_sent, Lie::more, Lie::less}) {
      for (unsigned seed = 1; seed <= 10; ++seed) {
        for (const std::set<std::size_t>& liars : {std::set<std::size_t>{6}, std::set<std::size_t>{6, 9}}) {
          SimulatedLinks links(members, seed);
          let_lie(links, liars, lie);
          const PreflightVerdict verdict = links.measured();
          INFO(members << " members, lie " << static_cast<int>(lie) << ", seed " << seed << ", liars " << liars.size() << "\n"
                       << lines_of(verdict));
          std::set<std::size_t> named;
          for (const Finding& finding : verdict.findings) {
            CHECK(finding.scope == FindingScope::host);
            named.insert(static_cast<std::size_t>(finding.members[0].index));
          }
          CHECK(named == liars);
          CHECK(verdict.unknown.empty());
          CHECK_FALSE(verdict.passed);
          CHECK(links.rounds <= 5);
        }
      }
    }
  }
}

TEST_CASE("what a member reports of flows that its partners know nothing of changes nothing") {
  for (const std::size_t members : {16u, 64u}) {
    SimulatedLinks links(members, 5);
    bool has_reported = false;
    links.on_measured = [&links, &has_reported, members](BandwidthMeasure&, SentFlow&) {
      if (std::exchange(has_reported, true)) return;
      EvidenceMember& liar = links.planted.evidence.members[6];
      for (std::size_t other = 0; other < members; ++other) {
        BandwidthMeasure& measure = liar.measures.emplace_back();
        measure.from = static_cast<int>(other);
        measure.bytes_per_second = std::int64_t{1} << 50;
        SentFlow& flow = liar.sent.emplace_back();
        flow.to = measure.from;
        flow.bytes_per_second = measure.bytes_per_second;
        measure.order = flow.order = 900 + static_cast<std::int64_t>(other);
      }
    };
    const PreflightVerdict verdict = links.measured();
    INFO(lines_of(verdict));
    CHECK(verdict.passed);
    CHECK(verdict.findings.empty());
    CHECK(links.rounds == 2);
  }
}

TEST_CASE("a member that vouches for a slow one, and two that vouch for each other, harm none") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SimulatedLinks links(16, seed);
    links.in[3] = links.out[3] = 4'000'000;
    let_lie(links, {6}, Lie::more);
    const PreflightVerdict verdict = links.measured();
    INFO(seed << " " << lines_of(verdict));
    REQUIRE(verdict.findings.size() == 2);
    CHECK(verdict.findings[0].members[0].index + verdict.findings[1].members[0].index == 9);
    SimulatedLinks two(16, seed);
    const auto [one, other] = pairs_to_measure(two.planted.written(), 0).front();
    two.on_measured = [one = static_cast<int>(one), other = static_cast<int>(other)](BandwidthMeasure& measure, SentFlow& flow) {
      if (measure.from + flow.to == one + other && (flow.to == one || flow.to == other))
        measure.bytes_per_second = flow.bytes_per_second = std::int64_t{1} << 50;
    };
    CHECK(two.measured().passed);
  }
}

TEST_CASE("where half of all contradict each other no host is named, and of two both are") {
  SimulatedLinks links(16, 4);
  let_lie(links, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Lie::more_received);
  const PreflightVerdict verdict = links.measured();
  INFO(lines_of(verdict));
  CHECK_FALSE(verdict.passed);
  CHECK_FALSE(verdict.has_failed());
  CHECK_FALSE(verdict.unknown.empty());
  SimulatedLinks two(2, 4);
  let_lie(two, {1}, Lie::more_received);
  CHECK_THAT(lines_of(two.measured()), Contains("warning pair bandwidth [0,1] first_to_second: worker 0 (n0) says that it sent 1") &&
                                           Contains(" Mbit/s to worker 1 (n1), which says that it received 9.01e+06 Gbit/s: one of"));
}

TEST_CASE("a member that counts somewhat less than its partners is neither slow nor wrong, and nor are they") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SimulatedLinks links(16, seed);
    links.on_measured = [](BandwidthMeasure& measure, SentFlow& flow) {
      if (flow.to == 6) measure.bytes_per_second /= 3;
    };
    const PreflightVerdict verdict = links.measured();
    INFO(lines_of(verdict));
    CHECK(verdict.findings.empty());
    REQUIRE(verdict.unknown.size() == 1);
    CHECK(verdict.unknown[0].members.size() == 1);
  }
}

}  // namespace
