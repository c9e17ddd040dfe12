#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/rules/pod_role.hpp"

namespace rollcall {
namespace {

std::optional<int> pod_index(const Pod& pod, PodLabel label) { return parse_decimal<int>(pod.label(label)); }

PodPosition pod_at(PodConvention convention, std::string group, std::optional<int> first, std::optional<int> second) {
  PodPosition position;
  position.workload = convention;
  position.group = std::move(group);
  if (!first || !second) return position;
  position.convention = convention;
  position.index = {*first, *second};
  position.part = *first;
  return position;
}

PodPosition with_role(std::string_view role, PodPosition position) {
  position.role = role;
  return position;
}

// `namespace/workload[/part]`. Optimised, since one is made for each pod.
std::string group_of(const Pod& pod, std::string_view workload, std::string_view part = {}, std::string_view rest = {}) {
  std::string group;
  group.reserve(pod.namespace_name.size() + workload.size() + part.size() + rest.size() + 2);
  group.append(pod.namespace_name).append("/").append(workload);
  if (!part.empty()) group.append("/").append(part).append(rest);
  return group;
}

// Removes the last `count` parts, which a generated name has in addition to its workload's name.
std::string_view without_suffix(std::string_view name, int count) {
  for (; count > 0; --count) name = name.substr(0, name.rfind('-'));
  return name;
}

PodPosition in_jobset(const Pod& pod) {
  const std::optional<int> completion = pod_index(pod, PodLabel::completion_index);
  const std::optional<int> global = pod_index(pod, PodLabel::jobset_global_index);
  const std::string_view set = pod.label(PodLabel::jobset_name);
  const std::string_view job = pod.label(PodLabel::jobset_replicated_job);
  const std::optional<int> part = pod_index(pod, PodLabel::jobset_job_index);
  PodPosition position = global ? pod_at(PodConvention::jobset, group_of(pod, set), global, completion)
                                : pod_at(PodConvention::jobset, group_of(pod, set, job), part, completion);
  if (global) position.role_start = *global - std::clamp(part.value_or(0), 0, *global);
  position.role = job;
  position.part = part.value_or(position.part);
  position.attempt = pod_index(pod, PodLabel::jobset_restart_attempt).value_or(0);
  return position;
}

// Masters first, then by type, since a job's rank 0 is its master. The launcher of an MPIJob is one pod, without an index, or worker 0.
PodPosition in_kubeflow(const Pod& pod) {
  std::string_view type = pod.label(PodLabel::kubeflow_replica_type);
  if (type.empty()) type = is_launching_worker(pod) ? "worker" : pod.label(PodLabel::kubeflow_job_role);
  std::optional<int> index = pod_index(pod, PodLabel::kubeflow_replica_index);
  if (type == "launcher" && pod.label(PodLabel::kubeflow_replica_index).empty()) index = 0;
  // It is numbered among the workers, and is of the launcher's template.
  return with_role(
      is_launching_worker(pod) ? "launcher" : type,
      pod_at(PodConvention::kubeflow, group_of(pod, pod.label(PodLabel::kubeflow_job), is_first_role(type) ? "0" : "1", type), 0, index));
}

PodPosition in_volcano(const Pod& pod) {
  const std::string_view task = pod.label(PodLabel::volcano_task);
  return with_role(task,
                   pod_at(PodConvention::volcano, group_of(pod, pod.label(PodLabel::volcano_job), is_first_role(task) ? "0" : "1", task), 0,
                          pod_index(pod, PodLabel::volcano_index)));
}

PodPosition in_ray(const Pod& pod) {
  const std::string_view cluster = pod.label(PodLabel::ray_cluster);
  if (pod.label(PodLabel::ray_node_type) == "head") return with_role("head", pod_at(PodConvention::ray, group_of(pod, cluster, "0"), 0, 0));
  const std::string_view role = pod.label(PodLabel::ray_group);
  const std::string group = group_of(pod, cluster, "1", role);
  const std::optional<int> replica = pod_index(pod, PodLabel::ray_replica_index);
  // Workers with one host per replica have no host index: then the replica index counts.
  if (pod.label(PodLabel::ray_host_index).empty()) return with_role(role, pod_at(PodConvention::ray, group, 0, replica));
  return with_role(role, pod_at(PodConvention::ray, group, replica, pod_index(pod, PodLabel::ray_host_index)));
}

PodPosition in_job(const Pod& pod) {
  const std::string_view job = pod.label(PodLabel::job_name);
  const std::string group = group_of(pod, job.empty() ? without_suffix(pod.name, 2) : job);
  PodPosition position = pod_at(PodConvention::indexed_job, group, 0, pod_index(pod, PodLabel::completion_index));
  if (job.empty()) position.workload = PodConvention::none;  // a guessed name suffices to separate workloads, but not to name one
  return position;
}

PodPosition in_stateful_set(const Pod& pod) {
  std::string_view index = pod.label(PodLabel::pod_index);
  if (index.empty()) {
    const std::string_view name = pod.label(PodLabel::stateful_pod_name);
    index = name.substr(name.rfind('-') + 1);
  }
  return pod_at(PodConvention::stateful_set, group_of(pod, without_suffix(pod.name, 1)), 0, parse_decimal<int>(index));
}

PodPosition in_group(PodConvention convention, const Pod& pod, PodLabel name, PodLabel index) {
  return pod_at(convention, group_of(pod, pod.label(name)), 0, pod_index(pod, index));
}

}  // namespace

std::string_view to_string(PodConvention convention) noexcept {
  switch (convention) {
    case PodConvention::none: break;
    case PodConvention::jobset: return "JobSet";
    case PodConvention::leader_worker_set: return "LeaderWorkerSet";
    case PodConvention::kubeflow: return "Kubeflow job";
    case PodConvention::ray: return "RayCluster";
    case PodConvention::indexed_job: return "Indexed Job";
    case PodConvention::stateful_set: return "StatefulSet";
    case PodConvention::volcano: return "Volcano job";
    case PodConvention::kueue_group: return "pod group";
    case PodConvention::grove: return "PodClique";
  }
  return "none";
}

PodPosition pod_position(const Pod& pod) {
  const auto has = [&pod](PodLabel label) { return !pod.label(label).empty(); };
  if (pod.labels.empty()) return PodPosition();
  if (has(PodLabel::jobset_name)) return in_jobset(pod);
  if (has(PodLabel::lws_name)) {
    return pod_at(PodConvention::leader_worker_set, group_of(pod, pod.label(PodLabel::lws_name)), pod_index(pod, PodLabel::lws_group_index),
                  pod_index(pod, PodLabel::lws_worker_index));
  }
  if (has(PodLabel::kubeflow_job)) return in_kubeflow(pod);
  if (has(PodLabel::ray_cluster)) return in_ray(pod);
  if (has(PodLabel::volcano_job)) return in_volcano(pod);
  if (has(PodLabel::completion_index)) return in_job(pod);
  if (has(PodLabel::pod_index) || has(PodLabel::stateful_pod_name)) return in_stateful_set(pod);
  if (has(PodLabel::job_name)) return in_job(pod);
  if (has(PodLabel::grove_index)) return in_group(PodConvention::grove, pod, PodLabel::grove_clique, PodLabel::grove_index);
  if (has(PodLabel::kueue_index)) return in_group(PodConvention::kueue_group, pod, PodLabel::kueue_group, PodLabel::kueue_index);
  return PodPosition();
}

}  // namespace rollcall
