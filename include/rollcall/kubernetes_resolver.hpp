// Pods of a Kubernetes cluster. Source: tf.distribute.cluster_resolver.KubernetesClusterResolver; Kubernetes API v1.
#pragma once

#include <memory>

#include "rollcall/kubernetes_options.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// Options of one call: `CallOptions().with(PodCallOptions().knows_number(true))`.
class PodCallOptions {
 public:
  PodCallOptions() {}
  /// True: the caller knows how many members there must be, so that nothing is said where the pods' workloads do not show it.
  PodCallOptions& knows_number(bool v) {
    knows_number_ = v;
    return *this;
  }
  bool knows_number() const noexcept { return knows_number_; }

 private:
  bool knows_number_ = false;
};

/// Every pod that is not being deleted must be Running: the first that is not, in order of names, is named (not_ready). A pod with a
/// deletionTimestamp is skipped in any phase. A running pod without address is malformed_response; two pods with one index, conflict. A job
/// without pods is a job without tasks.
///
/// The index is known for the pods of a JobSet (job-global-index, completion index), a LeaderWorkerSet (group, worker), Kubeflow's training
/// operator (replica type, replica index; an MPIJob's launcher has none and is first), a RayCluster (head, then group, replica, host), a
/// Volcano job (task, index), an Indexed Job and a StatefulSet; the first of these that applies is used. Where all pods of a selector
/// belong to one Indexed Job or StatefulSet, its index is the task's, so that a missing pod leaves a gap.
///
/// Members have the accelerators that their pods ask for, and num_accelerators() is their number where all have the same; where it is not
/// known, the master is asked.
std::shared_ptr<ClusterResolver> make_kubernetes_resolver(Runtime runtime, KubernetesOptions options = {});

}  // namespace rollcall
