// The plan of a Slurm step: its nodes, and the distribution of ranks over them. Pure functions of options and environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/launchers/wire/slurm_variables.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall {

class SlurmNode {
 public:
  std::string host;
  int tasks = 0;
  int component = 0;  ///< of a heterogeneous step
};

/// A numeric variable of Slurm. Errors: failed_precondition naming it if it is not set, invalid_argument unless 0 … `high`.
Result<int> slurm_number(const Environment& environment, std::string_view name, int high);

/// Arranges the nodes of a heterogeneous step as Slurm numbers its ranks, component by component. Errors: failed_precondition if the
/// components are not known, or do not have these nodes.
Result<std::vector<SlurmNode>> arrange_by_component(std::vector<SlurmNode> nodes, const Environment& environment);

/// Each host once, sorted by name or in the order of the ranks. Errors: as SlurmResolver's.
Result<std::vector<SlurmNode>> slurm_nodes(const SlurmOptions& options, const Environment& environment);

/// The nodes of the allocation, each with one task. Errors: as SlurmResolver's.
Result<std::vector<SlurmNode>> slurm_allocation(const SlurmOptions& options, const Environment& environment);

/// The content of the file that SLURM_HOSTFILE names; none: it is not needed.
using SlurmHostFile = std::optional<Result<std::string>>;

/// True if SLURM_HOSTFILE assigns the nodes to the ranks.
bool is_slurm_hostfile_used(const SlurmOptions& options, const Environment& environment);

/// The node of each rank. Errors: unimplemented for an unsupported distribution; those of the host file, or its contradictions.
Result<std::vector<std::size_t>> slurm_ranks(SlurmOrder order, const std::vector<SlurmNode>& nodes, const Environment& environment,
                                             const SlurmHostFile& file);

class SlurmPlan {
 public:
  class Slot {
   public:
    std::string address;
    std::size_t node = 0;
    int index = 0;  ///< among the slots of its host
  };
  class Job {
   public:
    std::string name;
    int first = 0;  ///< index of its first slot
    int count = 0;
  };
  std::vector<SlurmNode> nodes;
  std::vector<Slot> slots;  ///< in the order of the ranks
  std::vector<Job> jobs;  ///< sorted by name; together they contain all slots
  int rank = 0;
  int gpus_per_task = 0;
  bool has_own_gpus = false;  ///< the task sees no GPUs but its own
  std::string outside;  ///< what this process is, if it is no task: `a batch script`

  ClusterSpec cluster() const;
  /// Errors: failed_precondition if there is no slot for the rank.
  Result<SlurmTask> task() const;
};

class SlurmGpus;

/// `gpus`: as they were before the resolver changed a variable [facts: slurm-gpus].
Result<SlurmPlan> plan_slurm(const SlurmOptions& options, const Environment& environment, const SlurmGpus& gpus, const SlurmHostFile& file);

/// Checks SLURM_LOCALID, SLURM_NODEID, SLURM_GTIDS and SLURMD_NODENAME against the place of the rank. Errors: conflict naming both.
Result<void> check_slurm_place(const SlurmPlan& plan, const Environment& environment);

}  // namespace rollcall
