// Pods in the order of their indices. Pure. Source: the labels of JobSet, LeaderWorkerSet, Kubeflow, KubeRay, Job, StatefulSet.
#pragma once

#include "resolvers/kubernetes/found_pod.hpp"

namespace rollcall {

/// `pods` are in order of names, and stay so unless all have an index. Errors: failed_precondition (PodOrder::index and a pod
/// without one), conflict (two with the same), not_ready (PodOrder::index and an index without a pod;
/// a StatefulSet counts from the lowest that is there).
Result<void> order_pods(PodPointers& pods, PodOrder order);

}  // namespace rollcall
