#include "cluster/alike_accelerators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_groups_shown = 8;

// Members with the same accelerators.
class AlikeMembers {
 public:
  std::string kind;
  int count = 0;
  const Member* first = nullptr;
  std::size_t others = 0;

  bool matches(const Accelerators& those) const { return count == those.count && (count == 0 || kind == those.kind); }
  std::string describe() const {
    const std::string number = count == 0 ? std::string("none") : fmt::format("{} {}", count, printable(kind, 40));
    return fmt::format("{}{}: {}", first->label(), others > 0 ? fmt::format(" and {} more", others) : "", number);
  }
};

Failure different_accelerators(const std::vector<AlikeMembers>& groups) {
  std::vector<std::string> texts;
  for (const AlikeMembers& group : groups) texts.push_back(group.describe());
  return Failure(Errc::failed_precondition, fmt::format("the members have different accelerators: {}", fmt::join(texts, "; ")))
      .with_hint("ask for one task, by its type and index");
}

}  // namespace

std::optional<Result<AcceleratorCounts>> alike_accelerators(const std::vector<Member>& members, const std::optional<std::string>& job,
                                                            const std::optional<int>& index) {
  std::vector<AlikeMembers> groups;
  for (const Member& member : members) {
    if (job && index && (member.job != *job || member.index != *index)) continue;
    if (!member.accelerators) return std::nullopt;
    const Accelerators& those = *member.accelerators;
    const auto found = std::find_if(groups.begin(), groups.end(), [&those](const AlikeMembers& group) { return group.matches(those); });
    if (found != groups.end()) {
      ++found->others;
      continue;
    }
    if (groups.size() == max_groups_shown) continue;
    AlikeMembers& group = groups.emplace_back();
    group.kind = those.kind;
    group.count = those.count;
    group.first = &member;
  }
  if (groups.empty()) return std::nullopt;
  if (groups.size() > 1) return Result<AcceleratorCounts>(different_accelerators(groups));
  std::map<std::string, int, std::less<>> counts;
  if (groups.front().count > 0) counts.emplace(groups.front().kind, groups.front().count);
  return Result<AcceleratorCounts>(AcceleratorCounts(std::move(counts), CountSource::given));
}

}  // namespace rollcall
