// Members beside a workload's own places: plain pods of Kueue's groups, and pods that are being deleted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/plain_groups.hpp"

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

}  // namespace rollcall
