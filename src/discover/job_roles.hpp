// The roles of a found workload as jobs of a cluster: which take part, and the selectors that name their pods. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolvers/kubernetes/rules/found_pod.hpp"

namespace rollcall {

/// One job of a `kubernetes:` target.
class RoleJob {
 public:
  RoleJob() {}
  std::string name;
  std::vector<std::string> selectors;
  std::vector<PodPointers> pods;  ///< those of each selector
};

/// The jobs of the workload whose pods `selector` selects. `pods` are all of this workload, without those that have been replaced. A job
/// for each role whose pods are members of the cluster; one job, `worker`, where there is one such role, or the workload ranks its roles
/// together. Steps that have ended before others began, launchers and evaluators are left out, if there are other pods.
std::vector<RoleJob> jobs_by_role(const std::string& selector, const PodPointers& pods);

}  // namespace rollcall
