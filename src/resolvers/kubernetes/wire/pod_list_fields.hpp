// The table of the fields that are kept of a list of pods, with their paths. Most keys are not in it, so the look-ups are inline.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "json/key_table.hpp"
#include "resolvers/kubernetes/wire/pod.hpp"

namespace rollcall {

/// The object or array that contains the parser's position.
enum class PodPlace : std::uint8_t {
  outside,
  list,
  list_metadata,
  items,
  pod,
  metadata,
  labels,
  owners,  ///< ownerReferences
  owner,
  status,
  addresses,  ///< hostIPs or podIPs
  address,    ///< an entry of them
  conditions,
  condition,
  containers,  ///< containerStatuses, initContainerStatuses
  container,
  state,
  waiting,
  spec,
  pod_containers,  ///< containers, initContainers
  pod_container,
  resources,
  limits,
  requests,
  node_selector,
  claims,  ///< resourceClaims
  claim,
  affinity,
  node_affinity,
  required,
  terms,
  term,
  expressions,
  expression,
  values,
};

/// The meaning of a value.
enum class PodField : std::uint8_t {
  skipped,
  kind,
  list_metadata,
  next_page,
  list_version,
  items,
  metadata,
  name,
  namespace_name,
  uid,
  version,
  deletion,
  labels,
  label,
  owners,
  owner_version,
  owner_kind,
  owner_name,
  owner_uid,
  owner_controller,
  status,
  phase,
  reason,
  host_ip,
  pod_ip,
  host_ips,
  pod_ips,
  ip,
  conditions,
  condition_type,
  condition_status,
  condition_reason,
  condition_message,
  containers,
  state,
  waiting,
  waiting_reason,
  spec,
  node_name,
  main_containers,
  init_containers,
  restart_policy,
  resources,
  limits,
  requests,
  quantity,
  claims,
  node_selector,
  node_label,
  affinity,
  node_affinity,
  required,
  terms,
  expressions,
  expression_key,
  expression_operator,
  expression_values,
  expression_value,
};

struct PodFieldRow {
  PodPlace parent;
  std::string_view key;
  PodField field;
  PodPlace inside;        ///< the parser's place inside the value; `outside` for texts
  std::string_view path;  ///< within a pod or the list, for messages
  bool is_array = false;
};

inline constexpr PodPlace plain_text = PodPlace::outside;

// Sorted by place, and by the length of the key within a place.
// clang-format off: a row a line
inline constexpr PodFieldRow pod_fields[] = {
    {PodPlace::list, "kind", PodField::kind, plain_text, "kind"},
    {PodPlace::list, "items", PodField::items, PodPlace::items, "items", true},
    {PodPlace::list, "metadata", PodField::list_metadata, PodPlace::list_metadata, "metadata"},
    {PodPlace::list_metadata, "continue", PodField::next_page, plain_text, "metadata.continue"},
    {PodPlace::list_metadata, "resourceVersion", PodField::list_version, plain_text, "metadata.resourceVersion"},
    {PodPlace::pod, "spec", PodField::spec, PodPlace::spec, ".spec"},
    {PodPlace::pod, "status", PodField::status, PodPlace::status, ".status"},
    {PodPlace::pod, "metadata", PodField::metadata, PodPlace::metadata, ".metadata"},
    {PodPlace::metadata, "uid", PodField::uid, plain_text, ".metadata.uid"},
    {PodPlace::metadata, "name", PodField::name, plain_text, ".metadata.name"},
    {PodPlace::metadata, "labels", PodField::labels, PodPlace::labels, ".metadata.labels"},
    {PodPlace::metadata, "namespace", PodField::namespace_name, plain_text, ".metadata.namespace"},
    {PodPlace::metadata, "annotations", PodField::labels, PodPlace::labels, ".metadata.annotations"},
    {PodPlace::metadata, "ownerReferences", PodField::owners, PodPlace::owners, ".metadata.ownerReferences", true},
    {PodPlace::metadata, "resourceVersion", PodField::version, plain_text, ".metadata.resourceVersion"},
    {PodPlace::metadata, "deletionTimestamp", PodField::deletion, plain_text, ".metadata.deletionTimestamp"},
    {PodPlace::labels, "", PodField::label, plain_text, ".metadata.labels[]"},
    {PodPlace::owner, "uid", PodField::owner_uid, plain_text, ".metadata.ownerReferences[].uid"},
    {PodPlace::owner, "kind", PodField::owner_kind, plain_text, ".metadata.ownerReferences[].kind"},
    {PodPlace::owner, "name", PodField::owner_name, plain_text, ".metadata.ownerReferences[].name"},
    {PodPlace::owner, "apiVersion", PodField::owner_version, plain_text, ".metadata.ownerReferences[].apiVersion"},
    {PodPlace::owner, "controller", PodField::owner_controller, plain_text, ".metadata.ownerReferences[].controller"},
    {PodPlace::status, "phase", PodField::phase, plain_text, ".status.phase"},
    {PodPlace::status, "podIP", PodField::pod_ip, plain_text, ".status.podIP"},
    {PodPlace::status, "reason", PodField::reason, plain_text, ".status.reason"},
    {PodPlace::status, "hostIP", PodField::host_ip, plain_text, ".status.hostIP"},
    {PodPlace::status, "podIPs", PodField::pod_ips, PodPlace::addresses, ".status.podIPs", true},
    {PodPlace::status, "hostIPs", PodField::host_ips, PodPlace::addresses, ".status.hostIPs", true},
    {PodPlace::status, "conditions", PodField::conditions, PodPlace::conditions, ".status.conditions", true},
    {PodPlace::status, "containerStatuses", PodField::containers, PodPlace::containers, ".status.containerStatuses", true},
    {PodPlace::status, "initContainerStatuses", PodField::containers, PodPlace::containers, ".status.initContainerStatuses", true},
    {PodPlace::address, "ip", PodField::ip, plain_text, ".status.…IPs[].ip"},
    {PodPlace::condition, "type", PodField::condition_type, plain_text, ".status.conditions[].type"},
    {PodPlace::condition, "status", PodField::condition_status, plain_text, ".status.conditions[].status"},
    {PodPlace::condition, "reason", PodField::condition_reason, plain_text, ".status.conditions[].reason"},
    {PodPlace::condition, "message", PodField::condition_message, plain_text, ".status.conditions[].message"},
    {PodPlace::container, "state", PodField::state, PodPlace::state, ".status.containerStatuses[].state"},
    {PodPlace::state, "waiting", PodField::waiting, PodPlace::waiting, ".status.containerStatuses[].state.waiting"},
    {PodPlace::waiting, "reason", PodField::waiting_reason, plain_text, ".status.containerStatuses[].state.waiting.reason"},
    {PodPlace::spec, "nodeName", PodField::node_name, plain_text, ".spec.nodeName"},
    {PodPlace::spec, "affinity", PodField::affinity, PodPlace::affinity, ".spec.affinity"},
    {PodPlace::spec, "containers", PodField::main_containers, PodPlace::pod_containers, ".spec.containers", true},
    {PodPlace::spec, "nodeSelector", PodField::node_selector, PodPlace::node_selector, ".spec.nodeSelector"},
    {PodPlace::spec, "initContainers", PodField::init_containers, PodPlace::pod_containers, ".spec.initContainers", true},
    {PodPlace::spec, "resourceClaims", PodField::claims, PodPlace::claims, ".spec.resourceClaims", true},
    {PodPlace::pod_container, "resources", PodField::resources, PodPlace::resources, ".spec.containers[].resources"},
    {PodPlace::pod_container, "restartPolicy", PodField::restart_policy, plain_text, ".spec.containers[].restartPolicy"},
    {PodPlace::resources, "limits", PodField::limits, PodPlace::limits, ".spec.containers[].resources.limits"},
    {PodPlace::resources, "requests", PodField::requests, PodPlace::requests, ".spec.containers[].resources.requests"},
    {PodPlace::limits, "", PodField::quantity, plain_text, ".spec.containers[].resources.limits[]"},
    {PodPlace::node_selector, "", PodField::node_label, plain_text, ".spec.nodeSelector[]"},
    {PodPlace::affinity, "nodeAffinity", PodField::node_affinity, PodPlace::node_affinity, ".spec.affinity.nodeAffinity"},
    {PodPlace::node_affinity, "requiredDuringSchedulingIgnoredDuringExecution", PodField::required, PodPlace::required,
     ".spec.affinity.nodeAffinity.required…"},
    {PodPlace::required, "nodeSelectorTerms", PodField::terms, PodPlace::terms, ".spec.affinity.nodeAffinity.….nodeSelectorTerms", true},
    {PodPlace::term, "matchExpressions", PodField::expressions, PodPlace::expressions, ".spec.affinity.nodeAffinity.….matchExpressions",
     true},
    {PodPlace::expression, "key", PodField::expression_key, plain_text, ".spec.affinity.nodeAffinity.….key"},
    {PodPlace::expression, "values", PodField::expression_values, PodPlace::values, ".spec.affinity.nodeAffinity.….values", true},
    {PodPlace::expression, "operator", PodField::expression_operator, plain_text, ".spec.affinity.nodeAffinity.….operator"},
    {PodPlace::values, "", PodField::expression_value, plain_text, ".spec.affinity.nodeAffinity.….values[]"},
};
// clang-format on

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
    {"volcano.sh/job-name", PodLabel::volcano_job},
    {"volcano.sh/task-spec", PodLabel::volcano_task},
    {"volcano.sh/task-index", PodLabel::volcano_index},
    {"ray.io/replica-host-index", PodLabel::ray_host_index},
    {"batch.kubernetes.io/job-name", PodLabel::job_name},
    {"apps.kubernetes.io/pod-index", PodLabel::pod_index},
    {"jobset.sigs.k8s.io/job-index", PodLabel::jobset_job_index},
    {"jobset.sigs.k8s.io/jobset-name", PodLabel::jobset_name},
    {"training.kubeflow.org/job-name", PodLabel::kubeflow_job},
    {"training.kubeflow.org/job-role", PodLabel::kubeflow_job_role},
    {"leaderworkerset.sigs.k8s.io/name", PodLabel::lws_name},
    {"leaderworkerset.sigs.k8s.io/size", PodLabel::lws_size},
    {"ray.io/worker-group-replica-index", PodLabel::ray_replica_index},
    {"statefulset.kubernetes.io/pod-name", PodLabel::stateful_pod_name},
    {"training.kubeflow.org/replica-type", PodLabel::kubeflow_replica_type},
    {"jobset.sigs.k8s.io/global-replicas", PodLabel::jobset_global_replicas},
    {"jobset.sigs.k8s.io/restart-attempt", PodLabel::jobset_restart_attempt},
    {"jobset.sigs.k8s.io/job-global-index", PodLabel::jobset_global_index},
    {"training.kubeflow.org/replica-index", PodLabel::kubeflow_replica_index},
    {"jobset.sigs.k8s.io/replicatedjob-name", PodLabel::jobset_replicated_job},
    {"leaderworkerset.sigs.k8s.io/group-index", PodLabel::lws_group_index},
    {"batch.kubernetes.io/job-completion-index", PodLabel::completion_index},
    {"leaderworkerset.sigs.k8s.io/worker-index", PodLabel::lws_worker_index},
    {"jobset.sigs.k8s.io/replicatedjob-replicas", PodLabel::jobset_replicas},
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

using PodFieldTable = KeyTable<PodFieldRow, 46>;
inline constexpr auto pod_field_tables = [] {
  std::array<PodFieldTable, static_cast<std::size_t>(PodPlace::values) + 1> tables;
  for (std::size_t place = 0, at = 0; place < tables.size(); ++place) {
    const std::size_t first = at;
    while (at < std::size(pod_fields) && static_cast<std::size_t>(pod_fields[at].parent) == place) ++at;
    tables[place] = PodFieldTable(std::span(pod_fields).subspan(first, at - first));
  }
  return tables;
}();
inline constexpr KeyTable<PodLabelRow, 41> pod_label_table(pod_labels);

// By index instead of by address: GCC with UBSan does not accept address comparisons as constant expressions.
inline constexpr auto row_of_pod_field = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(PodField::expression_value) + 1> rows{};
  rows.fill(std::size(pod_fields));
  for (std::size_t i = std::size(pod_fields); i-- > 0;) rows[static_cast<std::size_t>(pod_fields[i].field)] = static_cast<std::uint8_t>(i);
  return rows;
}();

/// The field of `key` in an object at `place`; `skipped` if it is not needed. For labels use pod_label().
inline PodField pod_field(PodPlace place, std::string_view key) noexcept {
  const PodFieldRow* const row = pod_field_tables[static_cast<std::size_t>(place)].find(key);
  return row ? row->field : PodField::skipped;
}

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

/// Null for PodField::skipped.
inline const PodFieldRow* row_of(PodField field) noexcept {
  const std::size_t row = row_of_pod_field[static_cast<std::size_t>(field)];
  return row < std::size(pod_fields) ? &pod_fields[row] : nullptr;
}

}  // namespace rollcall
