#include "rollcall/missing_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "rollcall/cause_text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_runs_shown = 100;

// `3-7, 9`
std::string ranges(const std::vector<const MissingMember*>& members) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < members.size();) {
    const int first = members[i]->member.index;
    int last = members[i]->last_index();
    std::size_t next = i + 1;
    while (next < members.size() && members[next]->member.index - 1 == last) last = members[next++]->last_index();
    if (++runs > max_runs_shown) return text + ", …";
    text += (text.empty() ? "" : ", ") + (first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
    i = next;
  }
  return text;
}

// Of one job and one key.
template <class KeyOf>
std::vector<MissingGroup> group_by(const std::vector<MissingMember>& missing, KeyOf key_of) {
  using Key = std::pair<std::string_view, decltype(key_of(missing.front()))>;
  std::vector<MissingGroup> groups;
  std::map<Key, std::size_t> places;
  const Key* last_key = nullptr;
  std::size_t last = 0;
  for (const MissingMember& one : missing) {
    Key key(one.member.job, key_of(one));
    if (!last_key || *last_key != key) {
      const auto [place, is_new] = places.try_emplace(std::move(key), groups.size());
      if (is_new) groups.emplace_back();
      last_key = &place->first;
      last = place->second;
    }
    groups[last].members.push_back(&one);
  }
  const auto is_lower = [](const MissingMember* a, const MissingMember* b) { return a->member.index < b->member.index; };
  for (MissingGroup& group : groups) {
    if (!std::is_sorted(group.members.begin(), group.members.end(), is_lower))
      std::sort(group.members.begin(), group.members.end(), is_lower);
  }
  // The groups in the order of their first member in the list.
  std::sort(groups.begin(), groups.end(), [](const MissingGroup& a, const MissingGroup& b) {
    const MissingMember& first_of_a = *a.members.front();
    const MissingMember& first_of_b = *b.members.front();
    return std::tie(first_of_a.member.index, first_of_a.member.job, first_of_a.why) <
           std::tie(first_of_b.member.index, first_of_b.member.job, first_of_b.why);
  });
  return groups;
}

}  // namespace

std::string MissingGroup::who() const {
  const MissingMember& first = *members.front();
  return members.size() == 1 ? first.label() : fmt::format("{} {}", first.member.job, ranges(members));
}

std::int64_t MissingGroup::count() const {
  std::int64_t count = 0;
  for (const MissingMember* one : members) count += one->count;
  return count;
}

SteadyTime MissingGroup::begun() const {
  SteadyTime since = members.front()->begun();
  for (const MissingMember* one : members) since = std::min(since, one->begun());
  return since;
}

MemberState MissingGroup::state() const {
  MemberState state = MemberState::ready;
  for (const MissingMember* one : members) state = std::max({state, one->member.state.level, one->member.health.level});
  return state;
}

std::vector<MissingGroup> group_missing(const std::vector<MissingMember>& missing) {
  return group_by(missing, [](const MissingMember& one) { return std::string_view(one.why); });
}

std::vector<MissingGroup> group_by_chain(const std::vector<MissingMember>& missing) {
  return group_by(missing, [](const MissingMember& one) {
    std::string key;
    for (const Cause& cause : one.member.causes) key += cause_text(cause) + "\n";
    return key.empty() ? one.why : key;
  });
}

}  // namespace rollcall
