#include "resolve/status_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace rollcall {
namespace {

std::string standing_of(const Member& member) {
  const Condition& worse = member.state.standing >= member.health.standing ? member.state : member.health;
  return worse.text.empty() ? std::string(to_string(worse.standing)) : worse.text;
}

std::string change_text(const Member& before, const Member& now) {
  std::string text;
  const auto add = [&text](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
  if (before.uid != now.uid) add("made anew");
  if (before.name != now.name) add(fmt::format("now {}", now.name));
  if (before.address != now.address) {
    add(fmt::format("address {} -> {}", before.address.empty() ? "none" : before.address, now.address.empty() ? "none" : now.address));
  }
  if (before.state != now.state || before.health != now.health) add(fmt::format("{} -> {}", standing_of(before), standing_of(now)));
  return fmt::format("{}: {}", now.label(), text);
}

using MembersByPlace = std::map<std::pair<std::string_view, int>, const Member*>;

MembersByPlace by_place(const ClusterStatus& status) {
  MembersByPlace members;
  for (const Member& member : status.members) members.emplace(std::make_pair(std::string_view(member.job), member.index), &member);
  return members;
}

}  // namespace

std::vector<ClusterChange> status_diff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at) {
  std::vector<ClusterChange> left;
  std::vector<ClusterChange> joined;
  std::vector<ClusterChange> changed;
  const MembersByPlace old_members = by_place(before);
  const MembersByPlace new_members = by_place(now);
  for (const auto& [place, member] : old_members) {
    if (new_members.contains(place)) continue;
    ClusterChange& change = left.emplace_back(ChangeKind::member_left, at);
    change.member = *member;
    change.text = member->label() + " left";
  }
  for (const auto& [place, member] : new_members) {
    const auto old_member = old_members.find(place);
    if (old_member == old_members.end()) {
      ClusterChange& change = joined.emplace_back(ChangeKind::member_joined, at);
      change.member = *member;
      change.text = fmt::format("{} joined: {}", member->label(), standing_of(*member));
    } else if (*old_member->second != *member) {
      ClusterChange& change = changed.emplace_back(ChangeKind::member_changed, at);
      change.before = *old_member->second;
      change.member = *member;
      change.text = change_text(change.before, *member);
    }
  }
  std::move(joined.begin(), joined.end(), std::back_inserter(left));
  std::move(changed.begin(), changed.end(), std::back_inserter(left));
  for (const Notice& notice : now.notices) {
    if (std::find(before.notices.begin(), before.notices.end(), notice) != before.notices.end()) continue;
    ClusterChange& change = left.emplace_back(ChangeKind::notice, at);
    change.notice = notice;
    change.text = fmt::format("{}: {} ({})", notice.subject, to_string(notice.kind), notice.text);
  }
  return left;
}

}  // namespace rollcall
