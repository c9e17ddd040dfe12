// The labels and annotations that are kept of a pod, and the labels of nodes by which it chooses its machine.
#pragma once

#include <optional>
#include <string_view>

#include "json/key_table.hpp"
#include "resolvers/kubernetes/wire/pod.hpp"

namespace rollcall {

struct PodLabelRow {
  std::string_view key;
  PodLabel label;
};

// Sorted by the length of the key.
inline constexpr PodLabelRow pod_labels[] = {
    {"job-name", PodLabel::job_name},
    {"ray.io/group", PodLabel::ray_group},
    {"ray.io/cluster", PodLabel::ray_cluster},
    {"ray.io/node-type", PodLabel::ray_node_type},
    {"grove.io/podclique", PodLabel::grove_clique},
    {"volcano.sh/job-name", PodLabel::volcano_job},
    {"volcano.sh/task-spec", PodLabel::volcano_task},
    {"volcano.sh/task-index", PodLabel::volcano_index},
    {"ray.io/replica-host-index", PodLabel::ray_host_index},
    {"batch.kubernetes.io/job-name", PodLabel::job_name},
    {"apps.kubernetes.io/pod-index", PodLabel::pod_index},
    {"jobset.sigs.k8s.io/job-index", PodLabel::jobset_job_index},
    {"grove.io/podclique-pod-index", PodLabel::grove_index},
    {"scheduling.k8s.io/group-name", PodLabel::volcano_group},
    {"scheduling.x-k8s.io/pod-group", PodLabel::coscheduling_group},
    {"kueue.x-k8s.io/pod-group-name", PodLabel::kueue_group},
    {"jobset.sigs.k8s.io/jobset-name", PodLabel::jobset_name},
    {"training.kubeflow.org/job-name", PodLabel::kubeflow_job},
    {"training.kubeflow.org/job-role", PodLabel::kubeflow_job_role},
    {"leaderworkerset.sigs.k8s.io/name", PodLabel::lws_name},
    {"leaderworkerset.sigs.k8s.io/size", PodLabel::lws_size},
    {"scheduling.volcano.sh/group-name", PodLabel::volcano_group},
    {"ray.io/worker-group-replica-index", PodLabel::ray_replica_index},
    {"statefulset.kubernetes.io/pod-name", PodLabel::stateful_pod_name},
    {"training.kubeflow.org/replica-type", PodLabel::kubeflow_replica_type},
    {"jobset.sigs.k8s.io/global-replicas", PodLabel::jobset_global_replicas},
    {"jobset.sigs.k8s.io/restart-attempt", PodLabel::jobset_restart_attempt},
    {"kueue.x-k8s.io/pod-group-pod-index", PodLabel::kueue_index},
    {"training.kubeflow.org/operator-name", PodLabel::kubeflow_operator},
    {"jobset.sigs.k8s.io/job-global-index", PodLabel::jobset_global_index},
    {"training.kubeflow.org/replica-index", PodLabel::kubeflow_replica_index},
    {"kueue.x-k8s.io/pod-group-total-count", PodLabel::kueue_group_count},
    {"jobset.sigs.k8s.io/replicatedjob-name", PodLabel::jobset_replicated_job},
    {"leaderworkerset.sigs.k8s.io/group-index", PodLabel::lws_group_index},
    {"batch.kubernetes.io/job-completion-index", PodLabel::completion_index},
    {"leaderworkerset.sigs.k8s.io/worker-index", PodLabel::lws_worker_index},
    {"jobset.sigs.k8s.io/replicatedjob-replicas", PodLabel::jobset_replicas},
    {"trainer.kubeflow.org/trainjob-ancestor-step", PodLabel::train_job_step},
};

struct NodeLabelRow {
  std::string_view key;
  NodeLabel label;
};

// The first of several that name the model of a GPU counts.
inline constexpr NodeLabelRow node_label_rows[] = {
    {"cloud.google.com/gke-tpu-accelerator", NodeLabel::tpu_accelerator},
    {"cloud.google.com/gke-tpu-topology", NodeLabel::tpu_topology},
    {"cloud.google.com/gke-accelerator", NodeLabel::gpu_model},
    {"nvidia.com/gpu.product", NodeLabel::gpu_model},
    {"amd.com/gpu.product-name", NodeLabel::gpu_model},
    {"karpenter.k8s.aws/instance-gpu-name", NodeLabel::gpu_model},
};

inline constexpr KeyTable<PodLabelRow, 43> pod_label_table(pod_labels);

/// The label or annotation of this name, if it is kept.
inline std::optional<PodLabel> pod_label(std::string_view key) noexcept {
  const PodLabelRow* const row = pod_label_table.find(key);
  return row ? std::optional<PodLabel>(row->label) : std::nullopt;
}

/// The label of a node of this name, if it is kept.
inline std::optional<NodeLabel> node_label(std::string_view key) noexcept {
  for (const NodeLabelRow& row : node_label_rows) {
    if (row.key == key) return row.label;
  }
  return std::nullopt;
}

}  // namespace rollcall
