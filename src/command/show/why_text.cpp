#include "command/show/why_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "rollcall/cause_text.hpp"
#include "rollcall/missing_groups.hpp"
#include "rollcall/warned_members.hpp"

namespace rollcall::command {
namespace {

constexpr std::size_t max_groups_shown = 100;

void append_cause(std::string& out, const Cause& cause, WallTime now) {
  append_formatted(out, "  {:<9} {}", to_string(cause.layer), printable_line(cause_text(cause)));
  if (cause.since && now - *cause.since >= std::chrono::seconds(1))
    append_formatted(out, ", for {}", coarse_duration_text(now - *cause.since));
  if (cause.is_final) out += "; it does not mend itself";
  out += "\n";
  if (const std::string_view remedy = remedy_of(cause); !remedy.empty()) append_formatted(out, "            > {}\n", remedy);
}

void append_groups(std::string& out, const std::vector<MissingMember>& members, bool are_ready, WallTime now) {
  const std::vector<MissingGroup> groups = group_by_chain(members);
  for (std::size_t i = 0; i < std::min(groups.size(), max_groups_shown); ++i) {
    const MissingMember& first = *groups[i].members.front();
    const bool is_vacant = first.member.name.empty() && first.member.address.empty();
    const std::string_view standing = are_ready ? "ready, but" : is_vacant ? "not there yet" : "not ready";
    if (first.member.causes.empty()) {
      append_formatted(out, "{}: {}\n", printable_line(groups[i].who()), printable_line(first.why));
      continue;
    }
    append_formatted(out, "{}: {}\n", printable_line(groups[i].who()), standing);
    for (const Cause& cause : first.member.causes) append_cause(out, cause, now);
  }
  if (groups.size() > max_groups_shown) append_formatted(out, "and {} more groups\n", groups.size() - max_groups_shown);
}

}  // namespace

std::string why_text(const std::string& subject, const ClusterVerdict& verdict, const std::vector<std::string>& unread, WallTime now) {
  const WaitProgress& progress = verdict.progress;
  const std::vector<MissingMember> warned = warned_members(progress.status);
  std::string out;
  if (verdict.is_ready && progress.total > 0) {
    out = fmt::format("{}: all {} members are ready\n", printable_line(subject), progress.total);
  } else {
    WaitProgress whole = progress;
    whole.missing.clear();
    out = fmt::format("{}: {}\n", printable_line(subject), whole.line());
  }
  if (!progress.status.expected_source.empty()) append_formatted(out, "expected: {}\n", printable_line(progress.status.expected_source));
  // Without a member that lacks, what holds up the whole has no other place.
  if (progress.missing.empty() && !verdict.is_ready) {
    for (const Cause& cause : progress.status.causes) append_cause(out, cause, now);
  }
  append_groups(out, progress.missing, false, now);
  append_groups(out, warned, true, now);
  for (const std::string& note : unread) append_formatted(out, "not known: {}\n", printable_line(note));
  return out;
}

}  // namespace rollcall::command
