// The GPUs of a Slurm step, as far as its variables say: those of this task, of its node, and of the other nodes. Pure.
#pragma once

#include <optional>
#include <string>

#include "rollcall/cluster_status.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall {

class SlurmPlan;

/// What the variables say [facts: slurm-gpu-variables].
class SlurmGpus {
 public:
  explicit SlurmGpus(const Environment& environment);

  /// Upstream's count: the fields of CUDA_VISIBLE_DEVICES, else SLURM_GPUS_ON_NODE, else 0. Errors: invalid_argument.
  Result<int> upstream_count() const;
  /// The GPUs of a task on this node, if `tasks` are on it; none: not known.
  std::optional<int> of_task(int tasks) const;
  /// True if the tasks of the node see the same GPUs, of which each has a share.
  bool is_shared(int tasks) const;

  Result<int> listed;  ///< fields of CUDA_VISIBLE_DEVICES; an error: too many
  bool is_listed = false;  ///< that variable is set
  std::optional<int> visible;  ///< of CUDA_VISIBLE_DEVICES, or of the same variable of another vendor
  bool is_unclear = false;  ///< that list does not say how many devices the task sees
  std::optional<int> on_node;  ///< SLURM_GPUS_ON_NODE
  std::string on_node_text;
  bool is_bound = false;  ///< SLURMD_TRES_BIND gives each task its own
  bool is_bound_evenly = false;  ///< and all tasks equally many
  std::optional<int> each;  ///< of each task, as it was asked for
  std::optional<int> per_node;  ///< of each node, as it was asked for
  std::optional<int> total;  ///< of the job or step, as it was asked for
  std::optional<int> job_nodes;
  bool is_without = false;  ///< the job has GPUs, but the step has none

 private:
  void take_hip(const Environment& environment, std::string_view list);
};

/// The accelerators of the task of that slot; none: not known. Other nodes are taken to be like this one, unless the variables say
/// otherwise: a task's variables have only its own node's number.
std::optional<Accelerators> slurm_accelerators(const SlurmGpus& gpus, const SlurmOptions& options, const SlurmPlan& plan, std::size_t slot,
                                               std::size_t own_node);

}  // namespace rollcall
