// The kinds of Kubernetes objects that ask for pods: how kubectl calls them, and where the API server has them [facts: k8s-workload-kinds].
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

enum class WorkloadKind : std::uint8_t {
  job,
  job_set,
  leader_worker_set,
  stateful_set,
  deployment,
  replica_set,
  train_job,
  kubeflow_job,  ///< PyTorchJob and the others of the training operator
  mpi_job,
  ray_cluster,
  ray_job,
  volcano_job,
  pod_group,  ///< of any scheduler: pods that it places together
};

/// One kind of one API group.
class WorkloadType {
 public:
  WorkloadKind kind;
  std::string_view name;  ///< `JobSet`
  std::string_view group;  ///< `jobset.x-k8s.io`
  std::string_view resource;  ///< `jobsets`
  std::string_view words;  ///< what kubectl takes for it besides the resource, divided by blanks: `jobset`
  /// Those to try where the server does not say which it has, divided by blanks.
  std::string_view versions;
  bool is_built_in = false;  ///< every server has the first of these
  /// Of a Kubeflow job: the field of its roles.
  std::string_view roles = {};
};

std::span<const WorkloadType> workload_types() noexcept;

/// By a word as kubectl takes it: `job`, `sts`, `jobsets`, `job.batch.volcano.sh`, in any case. Errors: invalid_argument, which names the
/// known words.
Result<const WorkloadType*> workload_type_called(std::string_view word);

/// The kinds that the word may mean besides `type`, since it names no group: of three kinds called PodGroup. Empty: it is that one.
std::vector<const WorkloadType*> other_meanings(std::string_view word, const WorkloadType& type);

/// By an owner reference: apiVersion `GROUP/VERSION` and kind. Null: not known.
const WorkloadType* workload_type_of(std::string_view api_version, std::string_view kind) noexcept;

/// `job`, `jobset`, …, for messages.
std::string known_workload_words();

/// `jobs.batch`, `jobsets.jobset.x-k8s.io`: as RBAC and kubectl name it.
std::string full_resource(const WorkloadType& type);

}  // namespace rollcall
