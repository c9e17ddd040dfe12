// Hosts that send or receive slower than the others do.
#include <fmt/format.h>

#include "preflight/rules/bandwidth.hpp"
#include "preflight/rules/judgement.hpp"

namespace rollcall::preflight {
namespace {

// `38 Mbit/s`, `9.4 Gbit/s`.
std::string rate_text(std::int64_t bytes_per_second) {
  const double megabits = static_cast<double>(bytes_per_second) * 8 / 1e6;
  return megabits < 1000 ? fmt::format("{:.3g} Mbit/s", megabits) : fmt::format("{:.3g} Gbit/s", megabits / 1000);
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

}  // namespace

void judge_bandwidth(Judgement& judgement) {
  if (!judgement.evidence.has_bandwidth) return;
  const BandwidthView view(judgement.evidence);
  if (view.hosts.size() < 2) return;  // tasks of one host have no network between them
  std::vector<std::size_t> unknown;
  for (const std::size_t host : view.hosts) {
    if (judgement.is_blamed[host]) continue;
    const bool is_slow_in = view.in[host].is_convicted(view.convicting);
    const bool is_slow_out = view.out[host].is_convicted(view.convicting);
    if (is_slow_in || is_slow_out) add_slow_host(judgement, view, host, is_slow_in, is_slow_out);
    if (view.in[host].is_open(view.convicting) || view.out[host].is_open(view.convicting)) unknown.push_back(host);
  }
  for (const MeasuredWay& way : view.ways) {
    if (!view.is_slow(way.best) || !view.out[way.from].is_cleared || !view.in[way.to].is_cleared || way.measures < 2) continue;
    Finding& finding = judgement.add("bandwidth", FindingScope::pair, {way.from, way.to});
    finding.direction = "first_to_second";
    finding.action = FindingAction::check_path;
    finding.measured = rate_text(way.best);
    finding.others = rate_text(view.median);
    finding.text = fmt::format("{} sends {} at most to {}, and both are faster with others; the median of all hosts is {}",
                               finding.members[0].to_text(), finding.measured, finding.members[1].to_text(), finding.others);
    finding.hint = "look at the way between the two: switches, cables, routes";
  }
  judgement.add_unknown("bandwidth", unknown, "no measure that the network limited was good, and too few were slow: it may be busy");
  // As with ways: what is not known of a tenth does not keep the others from a pass.
  if (unknown.size() * 10 > view.hosts.size()) judgement.is_incomplete = true;
}

}  // namespace rollcall::preflight
