// The status of a job's pods as members. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/rules/pod_places.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The time at which pods are judged, and the time at which the judgement has to be repeated though no pod has changed.
class PodClock {
 public:
  explicit PodClock(WallTime time) : now(time) {}
  void note(std::optional<WallTime> change) {
    if (change && (!next || *change < *next)) next = change;
  }
  WallTime now;
  std::optional<WallTime> next;
};

/// Sets the state, the health and the causes of a pod's member. It is lost by a final cause, or if it has ended: if its controller makes
/// another, no cause is final. What Kubernetes tries again is waiting [facts: k8s-waiting-reasons].
void judge_member(Member& member, const FoundPod& pod, PodClock& clock);

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
  explicit TaskOrder(const KubernetesOptions& options, const PodPlaces* places = nullptr);
  /// True: by `places`, else by compare_places(); false: by name as text.
  bool is_by_index() const noexcept { return is_by_index_; }
  bool operator()(const FoundPod* a, const FoundPod* b) const;

 private:
  bool is_by_index_ = false;
  const PodPlaces* places_ = nullptr;
};

/// The tasks of one selector's pods, without those that have been replaced. If the pods of one workload are
/// numbered, a pod's task index is its number (of a StatefulSet counted from `first`), and gaps are pods that do not exist yet:
/// then `status.expected` counts the gaps too. The arguments must outlive it.
class PodTasks {
 public:
  /// `pods` are those that drop_replaced() leaves, sorted by `order`. Tasks are numbered from `offset` on.
  PodTasks(const std::string& job, const PodPointers& pods, const TaskOrder& order, const KubernetesOptions& options, int offset,
           FirstOrdinal& first, CommonHardware& hardware, PodClock& clock, const PodPlaces* places = nullptr);

  /// Appends the tasks of the next `count` pods to `members`; false once all are appended.
  bool add_to(std::vector<Member>& members, std::size_t count);
  /// The number of pods that exist or are expected, as far as the numbers show. Valid after the last pod.
  int places() const { return numbers_.all_places(places_); }

 private:
  const std::string& job_;
  CommonHardware& hardware_;
  PodClock& clock_;
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
void add_pods(ClusterStatus& status, const std::string& job, PodPointers pods, const KubernetesOptions& options, FirstOrdinal& first,
              PodClock& clock);

}  // namespace rollcall
