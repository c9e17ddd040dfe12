// A wait put into words.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "rollcall/wait_progress.hpp"

namespace rollcall {
namespace {

constexpr std::size_t most_shown = 100;  // states, and runs of places of each

// Those of one job that are missing for one reason.
class MissingGroup {
 public:
  std::vector<const MissingMember*> members;
  std::int64_t count() const {
    std::int64_t count = 0;
    for (const MissingMember* one : members) count += one->count;
    return count;
  }
};

std::vector<MissingGroup> grouped(const std::vector<MissingMember>& missing) {
  std::vector<MissingGroup> groups;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  std::size_t last = 0;
  for (const MissingMember& one : missing) {
    const auto is_of = [&one](const MissingGroup& group) {
      return group.members.front()->member.job == one.member.job && group.members.front()->why == one.why;
    };
    if (groups.empty() || !is_of(groups[last])) {
      const auto [place, is_new] =
          places.try_emplace(std::pair<std::string_view, std::string_view>(one.member.job, one.why), groups.size());
      if (is_new) groups.emplace_back();
      last = place->second;
    }
    groups[last].members.push_back(&one);
  }
  const auto is_lower = [](const MissingMember* a, const MissingMember* b) { return a->member.index < b->member.index; };
  for (MissingGroup& group : groups) {
    if (!std::is_sorted(group.members.begin(), group.members.end(), is_lower))
      std::sort(group.members.begin(), group.members.end(), is_lower);
  }
  // The first that is missing comes first.
  std::sort(groups.begin(), groups.end(), [](const MissingGroup& a, const MissingGroup& b) {
    const MissingMember& first_of_a = *a.members.front();
    const MissingMember& first_of_b = *b.members.front();
    return std::tie(first_of_a.member.index, first_of_a.member.job, first_of_a.why) <
           std::tie(first_of_b.member.index, first_of_b.member.job, first_of_b.why);
  });
  return groups;
}

std::string run_text(int first, int last) { return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last); }

// `3-7, 9`
std::string ranges(const std::vector<const MissingMember*>& members) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < members.size();) {
    const int first = members[i]->member.index;
    int last = members[i]->last_index();
    std::size_t next = i + 1;
    while (next < members.size() && members[next]->member.index - 1 == last) last = members[next++]->last_index();
    if (++runs > most_shown) return text + ", …";
    text += (text.empty() ? "" : ", ") + run_text(first, last);
    i = next;
  }
  return text;
}

std::string group_text(const MissingGroup& group, SteadyTime now) {
  const MissingMember& first = *group.members.front();
  SteadyTime since = first.begun();
  for (const MissingMember* one : group.members) since = std::min(since, one->begun());
  const std::string who = group.members.size() == 1 ? first.label() : fmt::format("{} {}", first.member.job, ranges(group.members));
  const std::string text = fmt::format("{}: {}", who, first.why);
  return now - since < std::chrono::seconds(1) ? text : fmt::format("{} for {}", text, coarse_duration_text(now - since));
}

std::int64_t count_from(const std::vector<MissingGroup>& groups, std::size_t first) {
  std::int64_t count = 0;
  for (std::size_t i = first; i < groups.size(); ++i) count += groups[i].count();
  return count;
}

}  // namespace

std::string MissingMember::label() const {
  return count == 1 ? member.label() : fmt::format("{} {}", member.job, run_text(member.index, last_index()));
}

std::string WaitProgress::missing_text() const {
  std::string text;
  const std::vector<MissingGroup> groups = grouped(missing);
  for (std::size_t i = 0; i < groups.size() && i < most_shown; ++i) text += (text.empty() ? "" : "; ") + group_text(groups[i], at);
  if (groups.size() > most_shown) text += fmt::format("; and {} more", count_from(groups, most_shown));
  return printable_line(text);
}

std::string WaitProgress::line() const {
  std::string line = total > 0 ? fmt::format("{}/{} ready", ready, total) : std::string("0 ready");
  const std::vector<MissingGroup> groups = grouped(missing);
  const bool has_word = status.state.level != MemberState::ready && !status.state.text.empty();
  if (!groups.empty()) {
    fmt::format_to(std::back_inserter(line), " · waiting for {}", group_text(groups.front(), at));
    if (groups.size() > 1) fmt::format_to(std::back_inserter(line), ", and {} more", count_from(groups, 1));
  }
  if (has_word) fmt::format_to(std::back_inserter(line), " · {}", status.state.text);
  if (!trouble.empty()) fmt::format_to(std::back_inserter(line), " · cannot ask: {}", trouble);
  return printable_line(line);
}

}  // namespace rollcall
