// How the pods of a job stand, as members. Pure.
#pragma once

#include <string>

#include "resolve/pod_order.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// What the phase, and what holds the pod up, come to. Reasons that waiting does not mend (an image that cannot be had, a
/// container that crashes) are lost. Source: wire-facts E.2.
Condition pod_condition(const FoundPod& pod);

/// Appends the tasks of `job`, which those pods are, in their order. A pod that has ended is left out while another has its index. Where
/// the pods of one workload are numbered, each is the task of its number, and gaps are places of pods that are not there yet: then
/// `status.expected` counts them.
void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options);

}  // namespace rollcall
