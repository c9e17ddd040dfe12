// The results of a search. No I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

/// The kind of a resource.
enum class FoundKind { tpu, queued_resource, instance_group, job, slurm_job };
/// `tpu`, `queued-resource`, `instance-group`, `job`, `slurm-job`
std::string_view to_string(FoundKind kind) noexcept;

/// One result of a search. Texts that the API does not give are empty.
class Found {
 public:
  Found() {}
  FoundKind kind = FoundKind::tpu;
  std::string name;
  std::string project;
  std::string zone;              ///< of a regional instance group its region
  std::string target;            ///< for make_resolver() and the command: `tpu:trainer,project=p,zone=us-central2-b`
  std::string state;             ///< as the API spells it; of a job the phase of the pod that is furthest from being ready
  std::string health;            ///< of a job `Ready`, `NotReady`, or empty when it has ended
  std::string accelerator_type;  ///< of a queued resource the type of the nodes that it requests
  /// Workers; of a queued resource its nodes; of an instance group its instances; of a job the tasks that there must be; of a Slurm job its
  /// nodes.
  std::size_t members = 0;
  /// Of a job: by whose word `members` is (`Job train: 4`), or why it is not known (`not known: …`); `members` are then those that were
  /// found.
  std::string expected_source;
  std::vector<std::string> addresses;  ///< of workers, `host:port`
  std::string queued_resource;  ///< the name of the request that a TPU belongs to
  std::string namespace_name;  ///< of a job
  std::string workload;  ///< the workload of a job: `JobSet`, `LeaderWorkerSet`, `KubeflowJob`, `RayCluster`, `Job`
  std::string user;  ///< of a Slurm job
  std::string partition;  ///< of a Slurm job; `a,b` while it may get either
  std::optional<int> accelerators;  ///< GPUs of all nodes of a Slurm job; absent: not known
  friend bool operator==(const Found&, const Found&) = default;
};

}  // namespace rollcall
