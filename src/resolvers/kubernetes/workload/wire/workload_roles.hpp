// The roles of each family of kinds, read of its objects. Metadata, suspension and conditions are read by parse_workload() itself.
#pragma once

#include <span>

#include "resolvers/kubernetes/workload/wire/object_view.hpp"
#include "resolvers/kubernetes/workload/wire/workload.hpp"

namespace rollcall {

/// Job and JobSet, and a TrainJob's own number.
void read_job_roles(const ObjectView& object, Workload& workload);
void read_job_set_roles(const ObjectView& object, Workload& workload);
void read_train_job(const ObjectView& object, Workload& workload);

/// LeaderWorkerSet, StatefulSet, Deployment, ReplicaSet.
void read_leader_worker_roles(const ObjectView& object, Workload& workload);
void read_replica_roles(const ObjectView& object, Workload& workload);

/// The kinds of Kubeflow's training operator and of the MPI operator; Volcano's Job.
void read_kubeflow_roles(const ObjectView& object, Workload& workload);
void read_volcano_roles(const ObjectView& object, Workload& workload);

/// The PodGroups of all schedulers.
void read_pod_group(const ObjectView& object, Workload& workload);

/// RayCluster and RayJob.
void read_ray_roles(const ObjectView& object, Workload& workload);
void read_ray_job(const ObjectView& object, Workload& workload);

// What they have in common.

/// Appends a label, or replaces its value.
void set_label(WorkloadRole& role, std::string_view key, std::string value);
/// `key=value,…` of these labels. An invalid label is complained of, since a selector of it would be another one.
std::string selector_of(std::span<const std::pair<std::string, std::string>> labels, const ObjectView& complaints);
/// A LabelSelector: matchLabels and matchExpressions.
std::string read_selector(const ObjectView& object, std::string_view key);
/// Names the jobs of the members: `worker` if one role has members, besides a head; else by the roles' names in lower case.
void name_jobs(Workload& workload);

}  // namespace rollcall
