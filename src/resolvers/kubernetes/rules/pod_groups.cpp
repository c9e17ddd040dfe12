#include "resolvers/kubernetes/rules/pod_groups.hpp"

#include <algorithm>

namespace rollcall {

std::string_view PodGroups::of(std::string_view api_group) const noexcept {
  if (api_group == "scheduling.volcano.sh") return volcano;
  if (api_group == "scheduling.x-k8s.io") return coscheduling;
  return api_group == "scheduling.k8s.io" ? std::string_view(native) : std::string_view();
}

SharedValue<PodGroups> pod_groups(const Pod& pod) {
  const auto is_of_group = [](const auto& label) { return label.first >= PodLabel::volcano_group; };
  if (std::none_of(pod.labels.begin(), pod.labels.end(), is_of_group)) return {};
  PodGroups groups;
  groups.volcano = pod.label(PodLabel::volcano_group);
  groups.coscheduling = pod.label(PodLabel::coscheduling_group);
  groups.native = pod.label(PodLabel::native_group);
  groups.kueue = pod.label(PodLabel::kueue_group);
  groups.kueue_count = pod.label(PodLabel::kueue_group_count);
  return groups;
}

}  // namespace rollcall
