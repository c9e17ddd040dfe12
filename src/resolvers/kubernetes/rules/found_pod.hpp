// A pod as a task: its fitness, address, and position by its labels. Pure. Source: the labels of JobSet, LeaderWorkerSet,
// Kubeflow, KubeRay, Job, StatefulSet.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturating.hpp"
#include "resolvers/kubernetes/rules/pod_details.hpp"
#include "resolvers/kubernetes/rules/pod_groups.hpp"
#include "resolvers/kubernetes/wire/pod.hpp"
#include "rollcall/error.hpp"
#include "rollcall/kubernetes_options.hpp"

namespace rollcall {

enum class PodConvention : std::uint8_t {
  none,
  jobset,
  leader_worker_set,
  kubeflow,
  ray,
  indexed_job,
  stateful_set,
  volcano,
  kueue_group,  ///< of plain pods
  grove,        ///< a PodClique
};
std::string_view to_string(PodConvention convention) noexcept;  // "JobSet" …

/// The position of a pod among the pods of its workload, by its labels.
class PodPosition {
 public:
  PodPosition() {}
  PodConvention convention = PodConvention::none;
  PodConvention workload = PodConvention::none;  ///< the workload that the labels name, even if they have no index in it
  std::string group;            ///< `namespace/workload[/part]`: positions are comparable within one group
  std::array<int, 2> index{};   ///< the last number must be without gaps
  int role_start = 0;           ///< the first number of a JobSet's replicated job within the set: differs from role to role
  std::string role;  ///< of its workload: the replicated job, the replica type, the task, the group; may be empty
  int part = 0;      ///< its place among the parts of the role, where it has parts
  int attempt = 0;   ///< of a JobSet: how often it was started again
};

/// By the first convention that applies, in the order of the enumerators. `convention` is none when an index is missing or not a number.
PodPosition pod_position(const Pod& pod);

/// The data of a pod that is kept until all pods of its selector have been read.
class FoundPod {
 public:
  FoundPod() {}
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string version;
  std::string phase;
  bool is_ready = false;
  std::optional<WallTime> created;
  SharedValue<PodState> state;  ///< absent: it is well
  std::string address;        ///< of the wanted kind and family; empty if it has none
  std::string other_address;  ///< of another family, if it has none of the wanted one
  std::string refused;        ///< `has 'evil,10.0.0.1' for an address, which is none`: then both addresses are empty
  PodPosition position;
  SharedValue<PodOwner> owner;  ///< its controller; absent: none makes another in its place
  SharedValue<PodGroups> groups;  ///< absent: it belongs to none
  std::shared_ptr<const PodDetails> details;  ///< null: not read
};

/// May have hundreds of thousands of elements: a deque grows without copies and shrinks from its front.
using FoundPodList = std::deque<FoundPod>;

/// `has no IPv6 address, only 10.4.0.3`, of a pod with another address than the wanted one.
std::string other_family_text(const FoundPod& pod, const KubernetesOptions& options);

/// True if the phase says that the pod will not run again, whether it succeeded or failed.
bool has_ended(const FoundPod& pod);

/// True if it is being deleted: it may still run, and say that it is ready.
bool is_leaving(const FoundPod& pod);

/// Moves the texts from `pod` that are expensive to copy.
FoundPod found_pod(Pod& pod, PodAddress address, AddressFamily family);

/// Two pods of one owner, or of the same groups, share the texts.
void share_owner(FoundPod& pod, const FoundPod& neighbour);

/// The memory of the pod as an element of such a list or of a map.
std::size_t memory_of(const FoundPod& pod);

/// `namespace/name`, quoted.
std::string shown_pod(const FoundPod& pod);

/// Pointers are sorted instead of pods, since a pod is large.
using PodPointers = std::vector<const FoundPod*>;

/// Sorts the pods by their names. Each must be fit to be a task. Errors: not_ready, malformed_response, failed_precondition (no address of
/// the family); they name the first such pod in that order. `now`: as pod_why().
Result<void> fit_pods(PodPointers& pods, const KubernetesOptions& options, WallTime now);

/// By workload and index. Pods without an index come last, as people count: `w-2` before `w-10`.
std::strong_ordering compare_places(const FoundPod& a, const FoundPod& b);

/// `pods` are in the order of names as text, and stay so with PodOrder::name; else by compare_places(). Errors: failed_precondition
/// (PodOrder::index and a pod without an index), conflict (two pods with one index), not_ready (PodOrder::index and an index without a pod;
/// a StatefulSet counts from its lowest index).
Result<void> order_pods(PodPointers& pods, PodOrder order);

class PodPlaces;

/// How pods in their order are numbered as tasks: where all belong to one workload that gives each a number, by these numbers (of a
/// StatefulSet counted from the lowest; of a master and its workers the master first, as PyTorch ranks them; of several Jobs of a JobSet or
/// groups of a LeaderWorkerSet each with as many places, an index that only others have stays free); else one after the other.
class TaskNumbers {
 public:
  TaskNumbers() {}
  /// By the places of a workload; `places` must outlive it.
  explicit TaskNumbers(const PodPlaces& places) : by_places_(&places), has_numbers_(true) {}
  TaskNumbers(const PodPointers& pods, bool is_by_index);
  /// The number of a pod whose tasks before it take up so many places.
  int of(const FoundPod& pod, int places) const;
  bool has_numbers() const noexcept { return has_numbers_; }
  /// The places of all pods, `places` being those up to the last one: the last part has as many as the others.
  int all_places(int places) const { return parts_.empty() ? places : static_cast<int>(parts_.size() * indices_.size()); }
  /// False: by the places of a workload.
  bool are_own() const noexcept { return !by_places_; }
  /// Counts from this number of the workload on.
  void count_from(int zero) { zero_ = zero; }

 private:
  void take_parts(const PodPointers& pods);
  int place_in_parts(const std::array<int, 2>& index) const;

  const PodPlaces* by_places_ = nullptr;
  bool has_numbers_ = false;
  int zero_ = 0;  // the number of task 0
  const std::string* leads_ = nullptr;  // the group of the masters, which come before the others
  int leaders_ = 0;
  std::vector<int> parts_;  // the first numbers that occur, and the second ones
  std::vector<int> indices_;
};

/// The addresses with the port.
std::vector<std::string> pod_addresses(const PodPointers& pods, const KubernetesOptions& options);

}  // namespace rollcall
