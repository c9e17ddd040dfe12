// The groups that a pod belongs to, by its labels, annotations and spec: those that a scheduler places together, and Kueue's.
#pragma once

#include <string>
#include <string_view>

#include "resolvers/kubernetes/wire/pod.hpp"

namespace rollcall {

/// The names of the groups; empty: none of the kind [facts: k8s-pod-groups]. Texts are as the server sends them.
class PodGroups {
 public:
  PodGroups() {}
  std::string volcano;       ///< a PodGroup of scheduling.volcano.sh
  std::string coscheduling;  ///< of scheduling.x-k8s.io
  std::string native;        ///< of scheduling.k8s.io
  std::string kueue;         ///< plain pods that a queue of Kueue admits together
  std::string kueue_count;   ///< how many pods Kueue's group has, by this pod

  /// The PodGroup of this API group.
  std::string_view of(std::string_view api_group) const noexcept;
  friend bool operator==(const PodGroups&, const PodGroups&) = default;
};

/// Absent: none.
SharedValue<PodGroups> pod_groups(const Pod& pod);

}  // namespace rollcall
