// A wait put into words.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/coarse_duration.hpp"
#include "rollcall/wait.hpp"

namespace rollcall {
namespace {

// Those of one job that are missing for one reason.
class MissingGroup {
 public:
  std::string job;
  std::string why;
  std::vector<const MissingMember*> members;
};

std::vector<MissingGroup> grouped(const std::vector<MissingMember>& missing) {
  std::vector<MissingGroup> groups;
  std::vector<const MissingMember*> sorted;
  sorted.reserve(missing.size());
  for (const MissingMember& one : missing) sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(), [](const MissingMember* a, const MissingMember* b) {
    return std::tie(a->member.job, a->why, a->member.index) < std::tie(b->member.job, b->why, b->member.index);
  });
  for (const MissingMember* one : sorted) {
    if (groups.empty() || groups.back().job != one->member.job || groups.back().why != one->why) {
      groups.emplace_back();
      groups.back().job = one->member.job;
      groups.back().why = one->why;
    }
    groups.back().members.push_back(one);
  }
  // The first that is missing comes first.
  std::sort(groups.begin(), groups.end(), [](const MissingGroup& a, const MissingGroup& b) {
    const Member& first_of_a = a.members.front()->member;
    const Member& first_of_b = b.members.front()->member;
    return std::tie(first_of_a.index, a.job, a.why) < std::tie(first_of_b.index, b.job, b.why);
  });
  return groups;
}

// `3-7, 9`
std::string ranges(const std::vector<const MissingMember*>& members) {
  std::string text;
  for (std::size_t i = 0; i < members.size();) {
    std::size_t last = i;
    while (last + 1 < members.size() && members[last + 1]->member.index == members[last]->member.index + 1) ++last;
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ", members[i]->member.index);
    if (last > i) fmt::format_to(std::back_inserter(text), "-{}", members[last]->member.index);
    i = last + 1;
  }
  return text;
}

std::string group_text(const MissingGroup& group, SteadyTime now) {
  SteadyTime since = group.members.front()->since;
  for (const MissingMember* one : group.members) since = std::min(since, one->since);
  const std::string who =
      group.members.size() == 1 ? group.members.front()->member.label() : fmt::format("{} {}", group.job, ranges(group.members));
  const std::string text = fmt::format("{}: {}", who, group.why);
  return now - since < std::chrono::seconds(1) ? text : fmt::format("{} for {}", text, coarse_duration_text(now - since));
}

}  // namespace

std::string WaitProgress::missing_text() const {
  std::string text;
  for (const MissingGroup& group : grouped(missing)) {
    if (!text.empty()) text += "; ";
    text += group_text(group, at);
  }
  return text;
}

std::string WaitProgress::line() const {
  std::string line = total > 0 ? fmt::format("{}/{} ready", ready, total) : std::string("0 ready");
  const std::vector<MissingGroup> groups = grouped(missing);
  const bool has_word = status.state.standing != Standing::ready && !status.state.text.empty();
  if (!groups.empty()) {
    fmt::format_to(std::back_inserter(line), " · waiting for {}", group_text(groups.front(), at));
    if (groups.size() > 1) {
      std::size_t others = 0;
      for (std::size_t i = 1; i < groups.size(); ++i) others += groups[i].members.size();
      fmt::format_to(std::back_inserter(line), ", and {} more", others);
    }
  }
  if (has_word) fmt::format_to(std::back_inserter(line), " · {}", status.state.text);
  if (!trouble.empty()) fmt::format_to(std::back_inserter(line), " · cannot ask: {}", trouble);
  return line;
}

}  // namespace rollcall
