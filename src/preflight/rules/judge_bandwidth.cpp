// Hosts that send or receive slower than the others do.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "preflight/rules/bandwidth.hpp"
#include "preflight/rules/judgement.hpp"

namespace rollcall::preflight {
namespace {

// `38 Mbit/s`, `9.4 Gbit/s`.
std::string rate_text(std::int64_t bytes_per_second) {
  const double megabits = static_cast<double>(bytes_per_second) * 8 / 1e6;
  return megabits < 1000 ? fmt::format("{:.3g} Mbit/s", megabits) : fmt::format("{:.3g} Gbit/s", megabits / 1000);
}

std::string ends_text(const Judgement& judgement, const Contradiction& ends) {
  return fmt::format("{} says that it sent {} to {}, which says that it received {}", judgement.named(ends.from).to_text(),
                     rate_text(ends.sent), judgement.named(ends.to).to_text(), rate_text(ends.received));
}

void add_slow_host(Judgement& judgement, const BandwidthView& view, std::size_t host, bool is_slow_in, bool is_slow_out) {
  const OneDirection& shown = is_slow_in ? view.in[host] : view.out[host];
  Finding& finding = judgement.add("bandwidth", FindingScope::host, {host});
  finding.direction = is_slow_in && is_slow_out ? "both" : is_slow_in ? "in" : "out";
  finding.action = FindingAction::check_path;
  finding.measured = rate_text(shown.best);
  finding.others = rate_text(view.median);
  const std::string_view verb = is_slow_in && is_slow_out ? "receives and sends" : is_slow_in ? "receives" : "sends";
  finding.text = fmt::format("{} {} {} at most, with {} others; the median of all hosts is {}", judgement.named(host).to_text(), verb,
                             finding.measured, shown.slow_with.size(), finding.others);
  finding.hint = "look at the speed of its link, at errors of its interface and cable, and at limits of its pod or virtual machine";
}

bool is_among(const std::vector<std::size_t>& hosts, std::size_t host) {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

// Of a host that contradicts most others one finding, and nothing else that was measured of it; else of the two, of which one may be right.
void add_contradictions(Judgement& judgement, const BandwidthView& view, const std::vector<std::size_t>& contradictory) {
  std::map<MeasuredPair, const Contradiction*> pairs;
  std::map<std::size_t, const Contradiction*> hosts;
  for (const Contradiction& ends : view.contradictions) {
    const bool is_of_sender = is_among(contradictory, ends.from);
    if (!is_of_sender && !is_among(contradictory, ends.to)) {
      const bool is_of_many = view.has_contradicted(ends.from) || view.has_contradicted(ends.to);
      if (!is_of_many) pairs.emplace(std::minmax(ends.from, ends.to), &ends);
    } else if (!judgement.is_blamed[is_of_sender ? ends.from : ends.to]) {
      hosts.emplace(is_of_sender ? ends.from : ends.to, &ends);
    }
  }
  for (const auto& [host, ends] : hosts) {
    Finding& finding = judgement.add("bandwidth", FindingScope::host, {host});
    finding.action = FindingAction::check_identity;
    finding.text = fmt::format("{} contradicts {} others in what was measured: {}", judgement.named(host).to_text(),
                               view.contradicted(host), ends_text(judgement, *ends));
    finding.hint = "look whether it is the right program there, of the same version, and at the processors and the clock of its host";
  }
  for (const auto& [members, ends] : pairs) {
    Finding& finding = judgement.add("bandwidth", FindingScope::pair, {ends->from, ends->to});
    finding.severity = FindingSeverity::warning;
    finding.direction = "first_to_second";
    finding.action = FindingAction::check_identity;
    finding.text = fmt::format("{}: one of the two is wrong", ends_text(judgement, *ends));
    finding.hint = "look whether another program answers between the two, and at the processors and clocks of both hosts";
  }
}

}  // namespace

void judge_bandwidth(Judgement& judgement) {
  if (!judgement.evidence.has_bandwidth) return;
  const BandwidthView view(judgement.evidence);
  if (view.hosts.size() < 2) return;  // tasks of one host have no network between them
  const std::vector<std::size_t> contradictory = view.contradictory();
  add_contradictions(judgement, view, contradictory);
  std::vector<std::size_t> unknown;
  std::vector<std::size_t> unclear;
  for (const std::size_t host : view.hosts) {
    if (judgement.is_blamed[host] || is_among(contradictory, host)) continue;
    const bool is_slow_in = view.in[host].is_convicted(view.convicting);
    const bool is_slow_out = view.out[host].is_convicted(view.convicting);
    if (is_slow_in || is_slow_out) add_slow_host(judgement, view, host, is_slow_in, is_slow_out);
    if (view.is_open(host)) unknown.push_back(host);
    if (view.has_contradicted(host)) unclear.push_back(host);
  }
  for (const auto& [ends, way] : view.ways) {
    if (!view.is_odd(ends) || way.measures < 2) continue;
    Finding& finding = judgement.add("bandwidth", FindingScope::pair, {ends.first, ends.second});
    finding.direction = "first_to_second";
    finding.action = FindingAction::check_path;
    finding.measured = rate_text(way.best);
    finding.others = rate_text(view.median);
    finding.text = fmt::format("{} sends {} at most to {}, and both are faster with others; the median of all hosts is {}",
                               finding.members[0].to_text(), finding.measured, finding.members[1].to_text(), finding.others);
    finding.hint = "look at the way between the two: switches, cables, routes";
  }
  judgement.add_unknown("bandwidth", unknown, "no measure that the network limited was good, and too few were slow: it may be busy");
  judgement.add_unknown("bandwidth", unclear, "it and its partners reported very different rates of what they measured");
  // As with ways: what is not known of a tenth does not keep the others from a pass.
  if ((unknown.size() + unclear.size()) * 10 > view.hosts.size()) judgement.is_incomplete = true;
}

}  // namespace rollcall::preflight
