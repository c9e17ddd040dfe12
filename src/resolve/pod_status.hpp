// How the pods of a job stand, as members. Pure.
#pragma once

#include <string>

#include "resolve/pod_order.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// What the phase, and what holds the pod up, come to. Reasons that waiting does not mend (an image that cannot be had, a
/// container that crashes) are lost. Source: wire-facts E.2.
Condition pod_condition(const FoundPod& pod);

/// From which number one selector's StatefulSet counts, as far as has been seen: spec.ordinals.start may be any, and no label of a pod says
/// it. Kept from status to status, so that the tasks keep their numbers when the first pod goes.
class FirstOrdinal {
 public:
  FirstOrdinal() {}
  /// The lowest of `index` and what was seen before of the same `group`.
  int lowest(const std::string& group, int index);

 private:
  std::string group_;
  int index_ = 0;
};

/// Appends the tasks of `job`, which those pods are, in their order. A pod that has ended is left out while another has its index. Where
/// the pods of one workload are numbered, each is the task of its number (of a StatefulSet counted from `first`), and gaps are places of
/// pods that are not there yet: then `status.expected` counts them.
void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first);

}  // namespace rollcall
