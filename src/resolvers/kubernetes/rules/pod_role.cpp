#include "resolvers/kubernetes/rules/pod_role.hpp"

#include "resolvers/kubernetes/workload/wire/label_syntax.hpp"

namespace rollcall {
namespace {

bool is_ranked_by(std::string_view name) {
  return name == "pytorchjob-controller" || name == "xgboostjob-controller" || name == "paddlejob-controller" ||
         name == "jaxjob-controller";
}

PodRole role_by(const Pod& pod, PodLabel value, std::string_view label) {
  PodRole role;
  if (pod.label(value).empty() || !is_label_value(pod.label(value))) return role;
  role.name = pod.label(value);
  role.label = label;
  return role;
}

// The steps of a TrainJob before its training are replicated jobs of its JobSet, which end. Their pods may lack the label of the step.
PodRole role_in_job_set(const Pod& pod) {
  PodRole role = role_by(pod, PodLabel::jobset_replicated_job, "jobset.sigs.k8s.io/replicatedjob-name");
  const std::string_view step = pod.label(PodLabel::train_job_step);
  role.is_apart = step.empty() ? role.name == "dataset-initializer" || role.name == "model-initializer" : step != "trainer";
  return role;
}

// MPIJobs of version 2 give the role of a pod, the other kinds its replica type.
PodRole role_in_kubeflow(const Pod& pod) {
  PodRole role = role_by(pod, PodLabel::kubeflow_replica_type, "training.kubeflow.org/replica-type");
  const bool is_mpi = role.name.empty();
  if (is_mpi) role = role_by(pod, PodLabel::kubeflow_job_role, "training.kubeflow.org/job-role");
  const std::string_view by = pod.label(PodLabel::kubeflow_operator);
  const bool may_be_ranked = by.empty() && (role.name == "master" || role.name == "worker");
  const bool is_worker = is_launching_worker(pod);
  role.shares_ranks = is_mpi || may_be_ranked || is_ranked_by(by);
  role.is_apart = role.name == "evaluator" || (role.name == "launcher" && !is_worker);
  role.is_of_kind = !role.name.empty() && !is_worker && (is_mpi || !role.shares_ranks);
  return role;
}

// A third type, redis-cleanup, runs when the cluster is deleted.
PodRole role_in_ray(const Pod& pod) {
  PodRole role = role_by(pod, PodLabel::ray_node_type, "ray.io/node-type");
  role.is_of_kind = !role.name.empty();
  role.is_apart = !role.name.empty() && role.name != "head" && role.name != "worker";
  return role;
}

}  // namespace

bool is_first_role(std::string_view role) noexcept { return role == "chief" || role == "master" || role == "launcher" || role == "head"; }

bool is_launching_worker(const Pod& pod) {
  return pod.label(PodLabel::kubeflow_replica_type).empty() && pod.label(PodLabel::kubeflow_job_role) == "launcher" &&
         !pod.label(PodLabel::kubeflow_replica_index).empty();
}

PodRole pod_role(const Pod& pod) {
  if (!pod.label(PodLabel::jobset_name).empty()) return role_in_job_set(pod);
  if (!pod.label(PodLabel::lws_name).empty()) return PodRole();
  if (!pod.label(PodLabel::kubeflow_job).empty()) return role_in_kubeflow(pod);
  if (!pod.label(PodLabel::ray_cluster).empty()) return role_in_ray(pod);
  if (!pod.label(PodLabel::volcano_job).empty()) return role_by(pod, PodLabel::volcano_task, "volcano.sh/task-spec");
  return PodRole();
}

}  // namespace rollcall
