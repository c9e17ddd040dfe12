// A pod as a task: judged, addressed, and in its place by what its labels say. Pure. Source: the labels of JobSet, LeaderWorkerSet,
// Kubeflow, KubeRay, Job, StatefulSet.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/kubernetes/wire/pod.hpp"
#include "rollcall/error.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall {

enum class PodConvention : std::uint8_t { none, jobset, leader_worker_set, kubeflow, ray, indexed_job, stateful_set };
std::string_view to_string(PodConvention convention) noexcept;  // "JobSet" …

/// What a pod's labels say about its place among the pods of its workload.
class PodPosition {
 public:
  PodPosition() {}
  PodConvention convention = PodConvention::none;
  PodConvention workload = PodConvention::none;  ///< what its labels name, even if it has no index there
  std::string group;            ///< `namespace/workload[/part]`: positions are comparable within one
  std::array<int, 2> index{};   ///< the last is the one that must be without gaps
};

/// Of the first convention that applies, in the order of the enumerators; its `convention` is none when an index is missing or no number.
PodPosition pod_position(const Pod& pod);

/// What is kept of a pod until all of its selector are there.
class FoundPod {
 public:
  FoundPod() {}
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string version;
  std::string phase;
  std::string trouble;
  std::string message;
  bool is_ready = false;
  std::string address;        ///< of the wanted kind and family; empty when it has none
  std::string other_address;  ///< of another family, when it has none of the wanted
  std::string refused;        ///< `has 'evil,10.0.0.1' for an address, which is none`: then it has no other either
  PodPosition position;
};

/// Hundreds of thousands of them: a deque grows without a copy, and gets smaller from its front.
using FoundPodList = std::deque<FoundPod>;

/// Its phase says that it will not run again, whether it went well or not.
bool has_ended(const FoundPod& pod);

/// Moves from `pod` what is too long to be copied at no cost.
FoundPod found_pod(Pod& pod, PodAddress address, AddressFamily family);

/// What it costs, as an element of such a list or of a map.
std::size_t memory_of(const FoundPod& pod);

/// `namespace/name`, quoted.
std::string shown_pod(const FoundPod& pod);

/// Sorted by pointers: a pod is large.
using PodPointers = std::vector<const FoundPod*>;

/// In the order of names, each fit to be a task. Errors: not_ready, malformed_response, failed_precondition (no address of the
/// family); the first pod in that order is named.
Result<PodPointers> fit_pods(const FoundPodList& pods, const KubernetesOptions& options);

/// `pods` are in order of names, and stay so unless all have an index. Errors: failed_precondition (PodOrder::index and a pod
/// without one), conflict (two with the same), not_ready (PodOrder::index and an index without a pod;
/// a StatefulSet counts from the lowest that is there).
Result<void> order_pods(PodPointers& pods, PodOrder order);

/// The addresses, with the port.
std::vector<std::string> pod_addresses(const PodPointers& pods, const KubernetesOptions& options);

}  // namespace rollcall
