// Plain pods that Kueue admits together: each of them says how many its group has. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "resolvers/kubernetes/rules/found_pod.hpp"

namespace rollcall {

/// The groups of some pods, by the pods' own words [facts: k8s-pod-groups].
class PlainGroups {
 public:
  PlainGroups() {}
  std::map<std::string, int> sizes;  ///< by the group's name
  std::string unknown;               ///< why the size of one is not known; empty: all are

  /// The sum of the sizes; saturates.
  int size() const noexcept;
  /// `pod group g: 4`.
  std::string source() const;
};

/// True if the pod is one of Kueue's group.
bool is_in_plain_group(const FoundPod& pod);

/// Reads the groups of `pods`, all of which are in one, and leaves out failed pods that others have taken the place of.
PlainGroups plain_groups(PodPointers& pods);

}  // namespace rollcall
