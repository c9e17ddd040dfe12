// The fields of a Kubernetes pod that are kept. Source: Kubernetes API v1, Pod.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resolvers/kubernetes/wire/pod_claims.hpp"
#include "resolvers/kubernetes/wire/pod_resources.hpp"
#include "resolvers/kubernetes/wire/pod_state.hpp"
#include "rollcall/shared_value.hpp"

namespace rollcall {

/// Labels (or annotations) by which workloads number their pods.
enum class PodLabel : std::uint8_t {
  job_name,
  completion_index,
  pod_index,
  stateful_pod_name,
  jobset_name,
  jobset_replicated_job,
  jobset_job_index,
  jobset_global_index,
  lws_name,
  lws_group_index,
  lws_worker_index,
  ray_cluster,
  ray_group,
  ray_node_type,
  ray_replica_index,
  ray_host_index,
  kubeflow_job,
  kubeflow_replica_type,
  kubeflow_replica_index,
  kubeflow_job_role,
  jobset_replicas,
  jobset_global_replicas,
  lws_size,
  volcano_job,
  volcano_task,
  volcano_index,
  kubeflow_operator,
  train_job_step,
  jobset_restart_attempt,
  kueue_index,
  grove_clique,
  grove_index,
  volcano_group,  ///< this and the following: of groups
  coscheduling_group,
  native_group,  ///< of the pod's spec, not a label
  kueue_group,
  kueue_group_count,
};

/// Labels of a node by which a pod chooses its machine.
enum class NodeLabel : std::uint8_t { tpu_accelerator, tpu_topology, gpu_model };

/// The controller that made a pod, and makes another in its place: a Job, a ReplicaSet, the leader of a group.
class PodOwner {
 public:
  PodOwner() {}
  std::string api_version;  ///< `batch/v1`; texts are as the server sends them
  std::string kind;
  std::string name;
  std::string uid;
  friend bool operator==(const PodOwner&, const PodOwner&) = default;
};

class Pod {
 public:
  Pod() {}
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string resource_version;
  std::string phase;
  std::string host_ip;  ///< an IP literal or empty; this holds for all addresses
  std::string pod_ip;
  std::vector<std::string> host_ips;
  std::vector<std::string> pod_ips;
  std::string refused_host_ip;  ///< an invalid value of the host's address: `'evil,10.0.0.1'`, safe to print
  std::string refused_pod_ip;
  bool is_leaving = false;  ///< it has a deletionTimestamp
  bool is_ready = false;    ///< condition Ready; only with PodDetail::readiness
  std::optional<WallTime> created;
  /// Absent: Running and Ready and not about to leave. With PodDetail::address also absent for a Running pod.
  SharedValue<PodState> state;
  std::vector<std::pair<PodLabel, std::string>> labels;  ///< at most one of a kind
  SharedValue<PodOwner> owner;  ///< its controller; neighbours share it; with PodDetail::address absent for a pod with an index

  // What follows is kept only with PodDetail::readiness.
  bool is_detailed = false;
  std::string node;  ///< the name of its machine
  PodResources resources;
  PodClaims claims;
  std::vector<std::pair<NodeLabel, std::string>> node_labels;  ///< that its machine must have, by nodeSelector or node affinity

  /// Empty if the pod has no such label.
  std::string_view label(PodLabel which) const {
    const auto found = std::find_if(labels.begin(), labels.end(), [which](const auto& entry) { return entry.first == which; });
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  }
  /// Empty if it does not matter to the pod.
  std::string_view node_label(NodeLabel which) const {
    const auto found = std::find_if(node_labels.begin(), node_labels.end(), [which](const auto& entry) { return entry.first == which; });
    return found == node_labels.end() ? std::string_view() : std::string_view(found->second);
  }
  /// Empties all fields and keeps their memory.
  void clear() {
    for (std::string* const text :
         {&name, &namespace_name, &uid, &resource_version, &phase, &host_ip, &pod_ip, &refused_host_ip, &refused_pod_ip, &node})
      text->clear();
    host_ips.clear();
    pod_ips.clear();
    labels.clear();
    owner.reset();
    state.reset();
    created.reset();
    if (is_detailed) {
      resources.clear();
      claims.clear();
      node_labels.clear();
    }
    is_detailed = false;
    is_leaving = false;
    is_ready = false;
  }
  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace rollcall
