// The role of a pod within its workload, by the workload's labels. Pure.
#pragma once

#include <string>
#include <string_view>

#include "resolvers/kubernetes/wire/pod.hpp"

namespace rollcall {

class PodRole {
 public:
  PodRole() {}
  std::string name;        ///< `chief`, `ps`, `node`; empty: the workload has one role, or says none
  std::string_view label;  ///< the label whose value the name is
  /// Pods of this role are no members of the cluster: a launcher, an evaluator, an initializer.
  bool is_apart = false;
  /// The workload ranks the pods of all such roles together: PyTorch's master is rank 0, worker I is rank I + 1.
  bool shares_ranks = false;
  /// A kind of workload has this role by its design. Others of its roles may come later.
  bool is_of_kind = false;
};

/// Of JobSets, Kubeflow's jobs, RayClusters and Volcano's jobs [facts: k8s-roles].
PodRole pod_role(const Pod& pod);

/// True for the launcher of an MPIJob that is a worker, too (runLauncherAsWorker): then it has an index.
bool is_launching_worker(const Pod& pod);

/// True for roles that come first in any order: chief, master, launcher, head.
bool is_first_role(std::string_view role) noexcept;

}  // namespace rollcall
