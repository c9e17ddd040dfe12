// Members by others than a workload's own places: a PodGroup's, plain pods of Kueue's groups, and pods that are being deleted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/rules/plain_groups.hpp"

namespace rollcall {

void ExpectedPods::take_plain(PodPointers plain, Selection& selection, PodPointers& pods) {
  std::set<const FoundPod*> replaced(plain.begin(), plain.end());
  PlainGroups groups = plain_groups(plain);
  for (const FoundPod* const pod : plain) replaced.erase(pod);
  if (!replaced.empty()) std::erase_if(pods, [&replaced](const FoundPod* pod) { return replaced.contains(pod); });
  selection.size = saturating_sum(selection.size.value_or(0), groups.size());
  selection.source = groups.source();
  if (selection.unknown.empty()) selection.unknown = std::move(groups.unknown);
  selection.plain_groups = std::move(groups.sizes);
}

// Several selectors that match pods of one group share its number: how many each of them matches is not known.
void ExpectedPods::share_plain_groups(const std::vector<PodPointers>& pods) {
  std::map<std::string_view, std::vector<std::size_t>> users;
  for (std::size_t i = 0; i < selections_.size(); ++i) {
    for (const auto& [name, size] : selections_[i].plain_groups) users[name].push_back(i);
  }
  for (const auto& [name, selectors] : users) {
    if (selectors.size() < 2) continue;
    int left = selections_[selectors.front()].plain_groups.find(std::string(name))->second;
    for (const std::size_t i : selectors) {
      Selection& selection = selections_[i];
      const auto there = static_cast<int>(pods[i].size());
      selection.size.reset();
      selection.at_least = i == selectors.back() ? std::max(there, left) : there;
      left -= there;
      selection.unknown =
          fmt::format("the pods of pod group {} are of several jobs, and it says only how many they are together", printable(name, 80));
    }
    unknown_ = selections_[selectors.front()].unknown;
  }
}

// A pod that is being deleted holds its place until another has it. Where it is not known how many there must be, it is on its way out.
void ExpectedPods::settle_leaving(const Selection& selection, PodPointers& pods) {
  if (std::none_of(pods.begin(), pods.end(), [](const FoundPod* pod) { return is_leaving(*pod); })) return;
  using Place = std::tuple<std::string_view, PodConvention, std::array<int, 2>>;
  const auto place_of = [](const FoundPod& pod) { return Place(pod.position.group, pod.position.convention, pod.position.index); };
  std::set<Place> taken;
  int staying = 0;
  for (const FoundPod* const pod : pods) {
    if (is_leaving(*pod)) continue;
    ++staying;
    if (pod->position.convention != PodConvention::none) taken.insert(place_of(*pod));
  }
  int free = std::max(0, selection.size.value_or(0) - staying);
  std::erase_if(pods, [&](const FoundPod* pod) {
    if (!is_leaving(*pod)) return false;
    const bool is_first = pod->position.convention == PodConvention::none || taken.insert(place_of(*pod)).second;
    return !is_first || free-- <= 0;
  });
}

// The pods that name the group. It says only how many start at least; what makes the pods says how many there must be.
void ExpectedPods::take_group(const WorkloadRole& role, Selection& selection, PodPointers& pods) {
  std::erase_if(pods, [this](const FoundPod* pod) { return !pod->groups || pod->groups->of(group_->type->group) != group_->name; });
  take_owned(role.selector, selection, pods);
  for (const std::string& uid : selection.workloads) {
    const WorkloadChain made_by = owners_.chain_of(uid);
    const Workload* const made = made_by.counted();
    if (!made) continue;
    const auto members = std::count_if(made->roles.begin(), made->roles.end(), [](const WorkloadRole& one) { return one.is_member; });
    if (role.selector.empty() && members > 1 && selection.size) {
      selection.size.reset();
      selection.unknown = fmt::format("how many pods of {} name {} is not known", made->title(), group_->title());
    }
  }
  const int least = group_->minimum;
  selection.at_least = std::max({selection.at_least, selection.size.value_or(0), least});
  if (selection.size && *selection.size >= least) {
    selection.source = fmt::format("{} ({})", group_->title(), selection.source);
    return;
  }
  if (selection.unknown.empty()) {
    selection.unknown = fmt::format("{} says only that it needs at least {}", group_->title(), least);
    if (selection.size) selection.unknown += fmt::format(", and there are only {} by {}", *selection.size, selection.source);
  }
  selection.size.reset();
  selection.places.reset();
}

}  // namespace rollcall
