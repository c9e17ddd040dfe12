#include "preflight/rules/bandwidth.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "preflight/rules/probed_places.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::int64_t tolerance_percent = 60;  // of the median
constexpr std::size_t random_rounds = 2;
constexpr std::size_t max_rounds = 10;

// By chance a healthy host is slow in one measure of a hundred. So many wrong ones in a row are expected in one run of a thousand at most.
std::size_t convicting_measures(std::size_t hosts) { return hosts <= 64 ? 3 : hosts <= 4096 ? 4 : 5; }

std::vector<std::size_t> one_of_each_host(const PreflightEvidence& evidence) {
  std::vector<std::size_t> hosts;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < evidence.members.size(); ++i) {
    const EvidenceMember& member = evidence.members[i];
    if (member.state != EvidenceState::reported) continue;
    if (member.boot_id.empty() || seen.insert(member.boot_id + " " + member.host).second) hosts.push_back(i);
  }
  return hosts;
}

// Pairs of one round: no host twice.
class RoundOfPairs {
 public:
  explicit RoundOfPairs(const PreflightEvidence& evidence) : table_(evidence), view_(evidence), is_taken_(evidence.members.size()) {}

  bool can_meet(std::size_t a, std::size_t b) const {
    return a != b && !is_taken_[a] && !is_taken_[b] && !table_.is_bad(a, b) && !table_.is_bad(b, a);
  }
  void add(std::size_t a, std::size_t b) {
    is_taken_[a] = is_taken_[b] = true;
    pairs.emplace_back(a, b);
  }
  /// The first of `others` that it has not met.
  void pair_with_new(std::size_t host, const std::vector<std::size_t>& others) {
    for (const std::size_t other : others) {
      if (!can_meet(host, other) || view_.has_met(host, other)) continue;
      add(host, other);
      return;
    }
  }
  const BandwidthView& view() const { return view_; }
  std::vector<MeasuredPair> pairs;

 private:
  const PairTable table_;
  const BandwidthView view_;
  std::vector<bool> is_taken_;
};

}  // namespace

BandwidthView::BandwidthView(const PreflightEvidence& evidence)
    : in(evidence.members.size()), out(evidence.members.size()), hosts(one_of_each_host(evidence)),
      convicting(convicting_measures(hosts.size())) {
  std::map<std::pair<std::size_t, std::size_t>, MeasuredWay> by_way;
  for (std::size_t to = 0; to < evidence.members.size(); ++to) {
    for (const BandwidthMeasure& measure : evidence.members[to].measures) {
      const auto from = static_cast<std::size_t>(measure.from);
      if (from == to) continue;
      met_.insert(std::minmax(from, to));
      MeasuredWay& way = by_way[{from, to}];
      way.from = from;
      way.to = to;
      way.best = std::max(way.best, measure.bytes_per_second);
      if (measure.is_of_network) ++way.measures;
    }
  }
  for (const auto& [key, way] : by_way) {
    ways.push_back(way);
    out[way.from].best = std::max(out[way.from].best, way.best);
    in[way.to].best = std::max(in[way.to].best, way.best);
  }
  // Of hosts, not of ways: those that are slow are measured more often than others.
  std::vector<std::int64_t> all;
  for (const auto* const directions : {&in, &out}) {
    for (const OneDirection& one : *directions) {
      if (one.best > 0) all.push_back(one.best);
    }
  }
  if (all.empty()) return;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  median = *middle;
  for (const MeasuredWay& way : ways) {
    for (const auto& [direction, other] : {std::pair(&out[way.from], way.to), std::pair(&in[way.to], way.from)}) {
      if (!is_slow(way.best)) {
        direction->is_cleared = true;
      } else if (way.measures > 0) {
        direction->slow_with.insert(other);
      }
    }
  }
}

bool BandwidthView::is_slow(std::int64_t bytes_per_second) const { return bytes_per_second < median / 100 * tolerance_percent; }

std::vector<MeasuredPair> pairs_to_measure(const PreflightEvidence& evidence, std::size_t round) {
  RoundOfPairs pairs(evidence);
  const BandwidthView& view = pairs.view();
  if (round >= max_rounds) return {};
  std::vector<std::size_t> drawn = view.hosts;
  std::mt19937_64 dice(seed_of_run(evidence.run, round));
  for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[dice() % i]);
  if (round < random_rounds) {
    for (const std::size_t host : drawn) pairs.pair_with_new(host, drawn);
    return std::move(pairs.pairs);
  }
  std::vector<std::size_t> cleared;
  for (const std::size_t host : drawn) {
    if (view.in[host].is_cleared && view.out[host].is_cleared) cleared.push_back(host);
  }
  for (const MeasuredWay& way : view.ways) {
    const bool is_odd = view.is_slow(way.best) && view.out[way.from].is_cleared && view.in[way.to].is_cleared && way.measures < 2;
    if (is_odd && pairs.can_meet(way.from, way.to)) pairs.add(way.from, way.to);
  }
  for (const std::size_t host : drawn) {
    if (view.in[host].is_open(view.convicting) || view.out[host].is_open(view.convicting)) pairs.pair_with_new(host, cleared);
  }
  return std::move(pairs.pairs);
}

}  // namespace rollcall::preflight
