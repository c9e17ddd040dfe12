#include "preflight/rules/bandwidth.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "preflight/rules/host_numbers.hpp"
#include "preflight/rules/probed_places.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::int64_t tolerance_percent = 60;  // of the median
// Of what the two ends of one flow report. Packets on the way, and an end that had to wait for a processor, make less.
constexpr std::int64_t max_ratio_of_ends = 4;
constexpr std::size_t random_rounds = 2;
constexpr std::size_t max_rounds = 10;

// By chance a healthy host is slow in one measure of a hundred. So many wrong ones in a row are expected in one run of a thousand at most.
std::size_t convicting_measures(std::size_t hosts) { return hosts <= 64 ? 3 : hosts <= 4096 ? 4 : 5; }

std::vector<std::size_t> one_of_each_host(const PreflightEvidence& evidence) {
  std::vector<std::size_t> hosts;
  HostNumbers numbers;
  for (std::size_t i = 0; i < evidence.members.size(); ++i) {
    const EvidenceMember& member = evidence.members[i];
    if (member.state == EvidenceState::reported && numbers.is_new(member)) hosts.push_back(i);
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
      convicting(convicting_measures(hosts.size())), partners_(evidence.members.size()), contradicted_(evidence.members.size()) {
  for (std::size_t to = 0; to < evidence.members.size(); ++to) {
    std::set<std::int64_t> orders;
    for (const BandwidthMeasure& measure : evidence.members[to].measures) {
      const auto from = static_cast<std::size_t>(measure.from);
      if (from == to || !orders.insert(measure.order).second) continue;
      const std::vector<SentFlow>& sent = evidence.members[from].sent;
      const auto other_end = std::find_if(
          sent.begin(), sent.end(), [&](const SentFlow& flow) { return flow.to == static_cast<int>(to) && flow.order == measure.order; });
      if (other_end == sent.end()) continue;
      add_flow(from, to, measure.bytes_per_second, *other_end);
    }
  }
  for (const auto& [ends, way] : ways) {
    out[ends.first].best = std::max(out[ends.first].best, way.best);
    in[ends.second].best = std::max(in[ends.second].best, way.best);
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
  for (const auto& [ends, way] : ways) {
    const auto& [from, to] = ends;
    for (const auto& [direction, other] : {std::pair(&out[from], to), std::pair(&in[to], from)}) {
      if (!is_slow(way.best)) {
        direction->is_cleared = true;
      } else if (is_slow(way.most) && way.measures > 0) {
        direction->slow_with.insert(other);
      }
    }
  }
}

void BandwidthView::add_flow(std::size_t from, std::size_t to, std::int64_t received, const SentFlow& flow) {
  partners_[from].insert(to);
  partners_[to].insert(from);
  const auto [less, more] = std::minmax(received, flow.bytes_per_second);
  if (more / max_ratio_of_ends > less) {
    contradicted_[from].insert(to);
    contradicted_[to].insert(from);
    Contradiction& ends = contradictions.emplace_back();
    ends.from = from;
    ends.to = to;
    ends.sent = flow.bytes_per_second;
    ends.received = received;
    return;
  }
  MeasuredWay& way = ways[{from, to}];
  way.best = std::max(way.best, less);
  way.most = std::max(way.most, more);
  if (flow.is_of_network) ++way.measures;
}

std::vector<std::size_t> BandwidthView::contradictory() const {
  std::vector<std::size_t> those;
  std::vector<std::set<std::size_t>> left = contradicted_;
  for (;;) {
    std::size_t worst = hosts.front();  // by the part of its partners, since one that is wrong must not blame those that are right
    for (const std::size_t host : hosts) {
      if (left[host].size() * partners_[worst].size() > left[worst].size() * partners_[host].size()) worst = host;
    }
    if (!has_contradicted(worst) || left[worst].size() * 2 <= partners_[worst].size()) break;
    those.push_back(worst);
    for (const std::size_t other : left[worst]) left[other].erase(worst);
    left[worst].clear();
  }
  if (those.size() * 2 >= hosts.size()) those.clear();
  return those;
}

bool BandwidthView::is_odd(const MeasuredPair& ends) const {
  return is_slow(ways.at(ends).most) && out[ends.first].is_cleared && in[ends.second].is_cleared;
}

bool BandwidthView::is_open(std::size_t host) const {
  // Two that are wrong in the same way agree: one good measure is not enough then.
  const bool is_uncertain = contradicted(host) > 0 && contradicted(host) * 2 >= partners_[host].size();
  return !has_contradicted(host) && (is_uncertain || in[host].is_open(convicting) || out[host].is_open(convicting));
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
    if (view.in[host].is_cleared && view.out[host].is_cleared && !view.has_contradicted(host)) cleared.push_back(host);
  }
  for (const auto& [ends, way] : view.ways) {
    if (view.is_odd(ends) && way.measures < 2 && pairs.can_meet(ends.first, ends.second)) pairs.add(ends.first, ends.second);
  }
  for (const std::size_t host : drawn) {
    if (view.is_open(host)) pairs.pair_with_new(host, cleared);
  }
  return std::move(pairs.pairs);
}

}  // namespace rollcall::preflight
