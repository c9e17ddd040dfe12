// Describes the progress of a wait in words.
#include "rollcall/wait_progress.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "cluster/said_state.hpp"
#include "rollcall/listed.hpp"
#include "rollcall/missing_groups.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_shown = 100;  // states

std::string group_text(const MissingGroup& group, SteadyTime now) {
  const std::string text = fmt::format("{}: {}", group.who(), group.why());
  const Duration time = now - group.begun();
  return time < std::chrono::seconds(1) ? text : fmt::format("{} for {}", text, coarse_duration_text(time));
}

std::int64_t count_from(const std::vector<MissingGroup>& groups, std::size_t first) {
  std::int64_t count = 0;
  for (std::size_t i = first; i < groups.size(); ++i) count += groups[i].count();
  return count;
}

}  // namespace

std::string MissingMember::label() const {
  return count == 1 ? member.label() : fmt::format("{} {}-{}", member.job, member.index, last_index());
}

std::string WaitProgress::missing_text() const {
  std::string text;
  const std::vector<MissingGroup> groups = group_missing(missing);
  for (std::size_t i = 0; i < groups.size() && i < max_shown; ++i) text += (text.empty() ? "" : "; ") + group_text(groups[i], at);
  if (groups.size() > max_shown) text += fmt::format("; and {} more", count_from(groups, max_shown));
  return printable_line(text);
}

std::string WaitProgress::count_text(std::string_view of) const {
  if (total <= 0) return "0 ready";
  if (listed > 0 && listed == ready) return fmt::format("{}{}{} {}", ready, of, total, listed_text);
  std::string text = fmt::format("{}{}{} ready", ready, of, total);
  return listed > 0 ? fmt::format("{} ({} of them {})", text, listed, listed_text) : text;
}

std::string WaitProgress::line() const {
  std::string line = count_text();
  // By whose word it is all of them; a long one is in the status.
  constexpr std::size_t max_source = 100;
  const std::string& source = status.expected_source;
  if (!status.job_sizes.empty() && !source.empty() && source.size() <= max_source) {
    // The caller's number and the service's.
    const bool is_more = total > status.expected && total > static_cast<int>(status.members.size());
    if (is_more || (total > 0 && total < status.expected)) {
      append_formatted(line, " ({} asked for; {})", total, source);
    } else if (ready >= total) {
      append_formatted(line, " ({})", source);
    }
  }
  const std::vector<MissingGroup> groups = group_missing(missing);
  const std::string first = groups.empty() ? std::string() : group_text(groups.front(), at);
  const bool has_word = status.state.level != MemberState::ready && !status.state.text.empty() && !is_state_said(status, first);
  if (!groups.empty()) {
    append_formatted(line, " · waiting for {}", first);
    if (groups.size() > 1) append_formatted(line, ", and {} more", count_from(groups, 1));
  }
  if (has_word) append_formatted(line, " · {}", status.state.text);
  if (!trouble.empty()) append_formatted(line, " · cannot ask: {}", trouble);
  return printable_line(line);
}

}  // namespace rollcall
