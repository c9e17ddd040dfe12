// Which pods have ended and have been replaced by their controller: they exist only for their logs. Pure.
#pragma once

#include <functional>

#include "resolvers/kubernetes/rules/found_pod.hpp"

namespace rollcall {

/// Passes over a pod that has ended while another pod is in its place: one with the same number in the workload; or, where pods have no
/// number, one that its controller made after the end [facts: k8s-replaced-pods]. The others keep their order.
void drop_replaced(PodPointers& pods);

/// Removes what there is beyond `size` of the pods that `is_own` is true of: an update of a Deployment makes new ones before the old ones
/// go, and a ReplicaSet leaves those that have failed. Those that are being deleted stay, and do not count.
void drop_surplus(PodPointers& pods, int size, const std::function<bool(const FoundPod&)>& is_own);

}  // namespace rollcall
