// How the pods of a job stand, as members. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/kubernetes/found_pod.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// What the phase, and what holds the pod up, come to. Reasons that waiting does not mend (an image that cannot be had, a
/// container that crashes) are lost [facts: k8s-waiting-reasons].
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

/// The order in which a job's pods are its tasks.
class TaskOrder {
 public:
  TaskOrder() {}
  TaskOrder(const PodPointers& pods, const KubernetesOptions& options);
  /// By number, since all have one of the same kind; else by name.
  bool is_by_index() const noexcept { return is_by_index_; }
  /// Pods that have ended stand behind those with the same number that have not.
  bool operator()(const FoundPod* a, const FoundPod* b) const;

 private:
  bool is_by_index_ = false;
};

/// The tasks of one selector's pods. A pod that has ended is left out while another has its index. Where the pods of one workload are
/// numbered, each is the task of its number (of a StatefulSet counted from `first`), and gaps are places of pods that are not there yet:
/// then `status.expected` counts them. The arguments must outlive it.
class PodTasks {
 public:
  /// `pods` sorted by `order`; tasks are numbered from `offset` on.
  PodTasks(const std::string& job, const PodPointers& pods, const TaskOrder& order, const KubernetesOptions& options, int offset,
           FirstOrdinal& first);

  /// Appends the tasks of so many pods more to `members`; false: of all.
  bool add_to(std::vector<Member>& members, std::size_t count);
  /// How many there are and will be, as far as the numbers tell; after the last of them.
  int places() const noexcept { return places_; }

 private:
  const std::string& job_;
  const PodPointers& pods_;
  const KubernetesOptions& options_;
  bool is_by_index_;
  bool has_numbers_;
  int zero_ = 0;  // the number of task 0
  int offset_;
  std::size_t next_ = 0;
  const FoundPod* before_ = nullptr;
  int places_ = 0;
};

/// All of it at once: appends the tasks of `job`, which those pods are, and counts their places in `status.expected`.
void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first);

}  // namespace rollcall
