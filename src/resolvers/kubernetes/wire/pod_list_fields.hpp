// The table of the fields that are kept of a list of pods, with their paths. Most keys are not in it, so the look-ups are inline.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "json/key_table.hpp"

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
  states,  ///< state, lastState
  state,   ///< waiting, running, terminated
  spec,
  gates,  ///< schedulingGates, readinessGates
  gate,  ///< an entry of them; schedulingGroup
  pod_containers,  ///< containers, initContainers
  pod_container,
  resources,
  limits,
  requests,
  node_selector,
  claims,  ///< resourceClaims, resourceClaimStatuses
  claim,
  claim_uses,  ///< resources.claims of a container
  claim_use,
  affinity,
  node_affinity,
  required,
  terms,
  term,
  expressions,
  expression,
  values,
};

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
  grace,
  labels,
  annotations,
  label,
  created,
  owners,
  owner_version,
  owner_kind,
  owner_name,
  owner_uid,
  owner_controller,
  status,
  phase,
  reason,
  message,
  nominated_node,
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
  condition_since,
  containers,
  init_containers,
  container_name,
  container_ready,
  container_started,
  container_restarts,
  state,
  last_state,
  waiting,
  running,
  ended,
  state_reason,
  state_message,
  exit_code,
  signal,
  started_at,
  finished_at,
  spec,
  node_name,
  pod_restart_policy,
  scheduler,
  gates,
  gate,
  readiness_gates,
  readiness_gate,
  asked_containers,
  asked_init_containers,
  asked_name,
  restart_policy,
  resources,
  limits,
  requests,
  quantity,
  claims,
  claim_name,
  claim_object,
  claim_uses,
  claim_use_name,
  claim_use_request,
  node_selector,
  node_label,
  scheduling_group,
  group_name,
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

enum class PodScalar : std::uint8_t { text, boolean, integer, quantity };

struct PodFieldRow {
  PodPlace parent;
  std::string_view key;
  PodField field;
  PodPlace inside;        ///< the parser's place inside the value; `outside` for texts
  std::string_view path;  ///< within a pod or the list, for messages
  bool is_array = false;
  PodScalar scalar = PodScalar::text;
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
    {PodPlace::metadata, "annotations", PodField::annotations, PodPlace::labels, ".metadata.annotations"},
    {PodPlace::metadata, "ownerReferences", PodField::owners, PodPlace::owners, ".metadata.ownerReferences", true},
    {PodPlace::metadata, "resourceVersion", PodField::version, plain_text, ".metadata.resourceVersion"},
    {PodPlace::metadata, "creationTimestamp", PodField::created, plain_text, ".metadata.creationTimestamp"},
    {PodPlace::metadata, "deletionTimestamp", PodField::deletion, plain_text, ".metadata.deletionTimestamp"},
    {PodPlace::metadata, "deletionGracePeriodSeconds", PodField::grace, plain_text, ".metadata.…Seconds", false, PodScalar::integer},
    {PodPlace::labels, "", PodField::label, plain_text, ".metadata.labels[]"},
    {PodPlace::owner, "uid", PodField::owner_uid, plain_text, ".metadata.ownerReferences[].uid"},
    {PodPlace::owner, "kind", PodField::owner_kind, plain_text, ".metadata.ownerReferences[].kind"},
    {PodPlace::owner, "name", PodField::owner_name, plain_text, ".metadata.ownerReferences[].name"},
    {PodPlace::owner, "apiVersion", PodField::owner_version, plain_text, ".metadata.ownerReferences[].apiVersion"},
    {PodPlace::owner, "controller", PodField::owner_controller, plain_text, ".metadata.….controller", false, PodScalar::boolean},
    {PodPlace::status, "phase", PodField::phase, plain_text, ".status.phase"},
    {PodPlace::status, "podIP", PodField::pod_ip, plain_text, ".status.podIP"},
    {PodPlace::status, "reason", PodField::reason, plain_text, ".status.reason"},
    {PodPlace::status, "hostIP", PodField::host_ip, plain_text, ".status.hostIP"},
    {PodPlace::status, "podIPs", PodField::pod_ips, PodPlace::addresses, ".status.podIPs", true},
    {PodPlace::status, "hostIPs", PodField::host_ips, PodPlace::addresses, ".status.hostIPs", true},
    {PodPlace::status, "message", PodField::message, plain_text, ".status.message"},
    {PodPlace::status, "conditions", PodField::conditions, PodPlace::conditions, ".status.conditions", true},
    {PodPlace::status, "containerStatuses", PodField::containers, PodPlace::containers, ".status.containerStatuses", true},
    {PodPlace::status, "nominatedNodeName", PodField::nominated_node, plain_text, ".status.nominatedNodeName"},
    {PodPlace::status, "initContainerStatuses", PodField::init_containers, PodPlace::containers, ".status.initContainerStatuses", true},
    {PodPlace::status, "resourceClaimStatuses", PodField::claims, PodPlace::claims, ".status.resourceClaimStatuses", true},
    {PodPlace::address, "ip", PodField::ip, plain_text, ".status.…IPs[].ip"},
    {PodPlace::condition, "type", PodField::condition_type, plain_text, ".status.conditions[].type"},
    {PodPlace::condition, "status", PodField::condition_status, plain_text, ".status.conditions[].status"},
    {PodPlace::condition, "reason", PodField::condition_reason, plain_text, ".status.conditions[].reason"},
    {PodPlace::condition, "message", PodField::condition_message, plain_text, ".status.conditions[].message"},
    {PodPlace::condition, "lastTransitionTime", PodField::condition_since, plain_text, ".status.conditions[].lastTransitionTime"},
    {PodPlace::container, "name", PodField::container_name, plain_text, ".status.containerStatuses[].name"},
    {PodPlace::container, "ready", PodField::container_ready, plain_text, ".status.containerStatuses[].ready", false, PodScalar::boolean},
    {PodPlace::container, "state", PodField::state, PodPlace::states, ".status.containerStatuses[].state"},
    {PodPlace::container, "started", PodField::container_started, plain_text, ".status.….started", false, PodScalar::boolean},
    {PodPlace::container, "lastState", PodField::last_state, PodPlace::states, ".status.containerStatuses[].lastState"},
    {PodPlace::container, "restartCount", PodField::container_restarts, plain_text, ".status.….restartCount", false, PodScalar::integer},
    {PodPlace::states, "waiting", PodField::waiting, PodPlace::state, ".status.containerStatuses[].state.waiting"},
    {PodPlace::states, "running", PodField::running, PodPlace::state, ".status.containerStatuses[].state.running"},
    {PodPlace::states, "terminated", PodField::ended, PodPlace::state, ".status.containerStatuses[].state.terminated"},
    {PodPlace::state, "reason", PodField::state_reason, plain_text, ".status.containerStatuses[].state.….reason"},
    {PodPlace::state, "signal", PodField::signal, plain_text, ".status.containerStatuses[].state.….signal", false, PodScalar::integer},
    {PodPlace::state, "message", PodField::state_message, plain_text, ".status.containerStatuses[].state.….message"},
    {PodPlace::state, "exitCode", PodField::exit_code, plain_text, ".status.….exitCode", false, PodScalar::integer},
    {PodPlace::state, "startedAt", PodField::started_at, plain_text, ".status.containerStatuses[].state.….startedAt"},
    {PodPlace::state, "finishedAt", PodField::finished_at, plain_text, ".status.containerStatuses[].state.….finishedAt"},
    {PodPlace::spec, "nodeName", PodField::node_name, plain_text, ".spec.nodeName"},
    {PodPlace::spec, "affinity", PodField::affinity, PodPlace::affinity, ".spec.affinity"},
    {PodPlace::spec, "containers", PodField::asked_containers, PodPlace::pod_containers, ".spec.containers", true},
    {PodPlace::spec, "nodeSelector", PodField::node_selector, PodPlace::node_selector, ".spec.nodeSelector"},
    {PodPlace::spec, "restartPolicy", PodField::pod_restart_policy, plain_text, ".spec.restartPolicy"},
    {PodPlace::spec, "schedulerName", PodField::scheduler, plain_text, ".spec.schedulerName"},
    {PodPlace::spec, "initContainers", PodField::asked_init_containers, PodPlace::pod_containers, ".spec.initContainers", true},
    {PodPlace::spec, "resourceClaims", PodField::claims, PodPlace::claims, ".spec.resourceClaims", true},
    {PodPlace::spec, "readinessGates", PodField::readiness_gates, PodPlace::gates, ".spec.readinessGates", true},
    {PodPlace::spec, "schedulingGroup", PodField::scheduling_group, PodPlace::gate, ".spec.schedulingGroup"},
    {PodPlace::spec, "schedulingGates", PodField::gates, PodPlace::gates, ".spec.schedulingGates", true},
    {PodPlace::gate, "name", PodField::gate, plain_text, ".spec.schedulingGates[].name"},
    {PodPlace::gate, "podGroupName", PodField::group_name, plain_text, ".spec.schedulingGroup.podGroupName"},
    {PodPlace::gate, "conditionType", PodField::readiness_gate, plain_text, ".spec.readinessGates[].conditionType"},
    {PodPlace::pod_container, "name", PodField::asked_name, plain_text, ".spec.containers[].name"},
    {PodPlace::pod_container, "resources", PodField::resources, PodPlace::resources, ".spec.containers[].resources"},
    {PodPlace::pod_container, "restartPolicy", PodField::restart_policy, plain_text, ".spec.containers[].restartPolicy"},
    {PodPlace::resources, "claims", PodField::claim_uses, PodPlace::claim_uses, ".spec.containers[].resources.claims", true},
    {PodPlace::resources, "limits", PodField::limits, PodPlace::limits, ".spec.containers[].resources.limits"},
    {PodPlace::resources, "requests", PodField::requests, PodPlace::requests, ".spec.containers[].resources.requests"},
    {PodPlace::limits, "", PodField::quantity, plain_text, ".spec.containers[].resources.limits[]", false, PodScalar::quantity},
    {PodPlace::node_selector, "", PodField::node_label, plain_text, ".spec.nodeSelector[]"},
    {PodPlace::claim, "name", PodField::claim_name, plain_text, ".spec.resourceClaims[].name"},
    {PodPlace::claim, "resourceClaimName", PodField::claim_object, plain_text, ".spec.resourceClaims[].resourceClaimName"},
    {PodPlace::claim_use, "name", PodField::claim_use_name, plain_text, ".spec.containers[].resources.claims[].name"},
    {PodPlace::claim_use, "request", PodField::claim_use_request, plain_text, ".spec.containers[].resources.claims[].request"},
    {PodPlace::affinity, "nodeAffinity", PodField::node_affinity, PodPlace::node_affinity, ".spec.affinity.nodeAffinity"},
    {PodPlace::node_affinity, "requiredDuringSchedulingIgnoredDuringExecution", PodField::required, PodPlace::required, ".….required…"},
    {PodPlace::required, "nodeSelectorTerms", PodField::terms, PodPlace::terms, ".spec.affinity.….nodeSelectorTerms", true},
    {PodPlace::term, "matchExpressions", PodField::expressions, PodPlace::expressions, ".spec.affinity.….matchExpressions", true},
    {PodPlace::expression, "key", PodField::expression_key, plain_text, ".spec.affinity.nodeAffinity.….key"},
    {PodPlace::expression, "values", PodField::expression_values, PodPlace::values, ".spec.affinity.nodeAffinity.….values", true},
    {PodPlace::expression, "operator", PodField::expression_operator, plain_text, ".spec.affinity.nodeAffinity.….operator"},
    {PodPlace::values, "", PodField::expression_value, plain_text, ".spec.affinity.nodeAffinity.….values[]"},
};
// clang-format on

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

// A bit for each place that is an array.
inline constexpr std::uint64_t pod_lists = [] {
  std::uint64_t bits = 0;
  for (const PodFieldRow& row : pod_fields) {
    if (row.is_array) bits |= std::uint64_t{1} << static_cast<unsigned>(row.inside);
  }
  return bits;
}();
static_assert(static_cast<unsigned>(PodPlace::values) < 64);
// By index instead of by address: GCC with UBSan does not accept address comparisons as constant expressions.
inline constexpr auto row_of_pod_field = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(PodField::expression_value) + 1> rows{};
  rows.fill(std::size(pod_fields));
  for (std::size_t i = std::size(pod_fields); i-- > 0;) rows[static_cast<std::size_t>(pod_fields[i].field)] = static_cast<std::uint8_t>(i);
  return rows;
}();

/// The field of `key` in an object at `place`; `skipped` if it is not needed.
inline PodField pod_field(PodPlace place, std::string_view key) noexcept {
  const PodFieldRow* const row = pod_field_tables[static_cast<std::size_t>(place)].find(key);
  return row ? row->field : PodField::skipped;
}

/// Null for PodField::skipped.
inline const PodFieldRow* row_of(PodField field) noexcept {
  const std::size_t row = row_of_pod_field[static_cast<std::size_t>(field)];
  return row < std::size(pod_fields) ? &pod_fields[row] : nullptr;
}

}  // namespace rollcall
