// What other programs say of this host.
#include <algorithm>
#include <string>
#include <utility>

#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {

namespace {

// Of one host: they are a part of its report, whose size is limited.
constexpr std::size_t max_findings_of_others = 32;

}  // namespace

void judge_others(const HostLook& look, HostNotes& notes) {
  if (look.others.empty()) return;
  const std::size_t most = std::min(max_other_findings, max_findings_of_others / look.others.size());
  for (const OtherLook& other : look.others) {
    const std::string check = std::string(others_prefix) + other.source.name;
    for (OtherFinding& finding : read_other_verdict(other.source, other.end, most)) {
      FindingParts parts(FindingAction::none, other.source.socket.empty() ? "run it on that host: what it prints there may say more"
                                                                          : "look at what the daemon logs on that host");
      parts.device = std::move(finding.device);
      if (finding.severity == FindingSeverity::failure) {
        notes.failure(check, finding.text, std::move(parts));
      } else {
        notes.warning(check, finding.text, std::move(parts));
      }
    }
  }
}

}  // namespace rollcall
