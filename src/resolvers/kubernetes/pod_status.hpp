// The status of a job's pods as members. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/kubernetes/found_pod.hpp"
#include "resolvers/kubernetes/pod_places.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The condition by the phase and the reason that blocks the pod. A reason that does not pass by itself (an image that cannot be pulled, a
/// container that crashes) makes the pod lost [facts: k8s-waiting-reasons].
Condition pod_condition(const FoundPod& pod);

/// The first number of a selector's StatefulSet, as far as it has been seen: spec.ordinals.start may be any number, and no pod label gives
/// it. Kept between statuses, so that the tasks keep their numbers when the first pod is deleted.
class FirstOrdinal {
 public:
  FirstOrdinal() {}
  /// The lower of `index` and the lowest earlier one of the same `group`.
  int lowest(const std::string& group, int index);

 private:
  std::string group_;
  int index_ = 0;
};

/// The order in which a job's pods are its tasks.
class TaskOrder {
 public:
  TaskOrder() {}
  /// `places`: of their workload, must outlive the order; null: their own numbers count.
  TaskOrder(const PodPointers& pods, const KubernetesOptions& options, const PodPlaces* places = nullptr);
  /// True if pods have a number: then the order is by compare_places(), else by name.
  bool is_by_index() const noexcept { return is_by_index_; }
  /// A pod that has ended is ordered after one with the same number that has not.
  bool operator()(const FoundPod* a, const FoundPod* b) const;

 private:
  bool is_by_index_ = false;
  const PodPlaces* places_ = nullptr;
};

/// The tasks of one selector's pods. A pod that has ended is left out if another pod has its index. If the pods of one workload are
/// numbered, a pod's task index is its number (of a StatefulSet counted from `first`), and gaps are pods that do not exist yet:
/// then `status.expected` counts the gaps too. The arguments must outlive it.
class PodTasks {
 public:
  /// `pods` are sorted by `order`. Tasks are numbered from `offset` on.
  PodTasks(const std::string& job, const PodPointers& pods, const TaskOrder& order, const KubernetesOptions& options, int offset,
           FirstOrdinal& first, CommonHardware& hardware, const PodPlaces* places = nullptr);

  /// Appends the tasks of the next `count` pods to `members`; false once all are appended.
  bool add_to(std::vector<Member>& members, std::size_t count);
  /// The number of pods that exist or are expected, as far as the numbers show. Valid after the last pod.
  int places() const noexcept { return places_; }

 private:
  const std::string& job_;
  CommonHardware& hardware_;
  const PodPointers& pods_;
  const KubernetesOptions& options_;
  bool is_by_index_;
  TaskNumbers numbers_;
  int offset_;
  std::size_t next_ = 0;
  const FoundPod* before_ = nullptr;
  int places_ = 0;
};

/// Without suspension: appends the tasks of `job` for all `pods`, and adds their number to `status.expected`.
void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first);

}  // namespace rollcall
