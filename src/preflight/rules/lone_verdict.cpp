#include "preflight/rules/lone_verdict.hpp"

#include <fmt/format.h>

#include <map>

namespace rollcall::preflight {

PreflightVerdict lone_verdict(const LoneMember& member) {
  PreflightVerdict verdict;
  verdict.run = member.run;
  verdict.members = static_cast<int>(member.members);
  verdict.present = 1;
  verdict.pairs_expected = static_cast<std::int64_t>(member.members * member.seen.size());
  std::map<ProbeResult, std::int64_t> seen;
  for (const ProbeResult result : member.seen) ++seen[result];
  std::string saw;
  for (const auto& [result, count] : seen) {
    saw += fmt::format("{}{} {}", saw.empty() ? "" : ", ", count, to_string(result));
    if (result != ProbeResult::untested && result != ProbeResult::silent) verdict.pairs_tested += count;
  }
  verdict.findings = member.findings;
  Finding& finding = verdict.findings.emplace_back();
  finding.check = "verdict";
  finding.action = FindingAction::check_path;
  finding.text = fmt::format("{} got no verdict from those that gather reports ({}); of the {} others it saw: {}", member.name,
                             fmt::join(member.gatherers, ", "), member.seen.size(), saw);
  finding.hint = "look at the verdicts of the others; all must be started with the same target and run";
  return verdict;
}

}  // namespace rollcall::preflight
