// The plan of a Slurm step: its nodes, and the distribution of ranks over them. Pure functions of options and environment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/environment.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall {

class SlurmNode {
 public:
  std::string host;
  int tasks = 0;
};

/// A numeric variable of Slurm. Errors: failed_precondition naming it if it is not set, invalid_argument unless 0 … `high`.
Result<int> slurm_number(const Environment& environment, std::string_view name, int high);

/// Each host once, sorted by name or in the options' order. Errors: as SlurmResolver's.
Result<std::vector<SlurmNode>> slurm_nodes(const SlurmOptions& options, const Environment& environment);

/// The node of each rank. Errors: unimplemented for an unsupported distribution.
Result<std::vector<std::size_t>> slurm_ranks(SlurmOrder order, const std::vector<SlurmNode>& nodes, const Environment& environment);

class SlurmPlan {
 public:
  class Slot {
   public:
    std::string address;
    int index = 0;  ///< among the slots of its host
  };
  class Job {
   public:
    std::string name;
    int first = 0;  ///< index of its first slot
    int count = 0;
  };
  std::vector<Slot> slots;  ///< in the order of the ranks
  std::vector<Job> jobs;    ///< sorted by name; together they contain all slots
  int rank = 0;
  int gpus_per_task = 0;

  ClusterSpec cluster() const;
  /// Errors: failed_precondition if there is no slot for the rank.
  Result<SlurmTask> task() const;
};

/// Counts GPUs by CUDA_VISIBLE_DEVICES or SLURM_GPUS_ON_NODE. Errors: invalid_argument.
Result<int> count_slurm_gpus(const Environment& environment);

/// `gpus_per_node`: count_slurm_gpus()'s result, used if the options give no count [facts: slurm-gpus].
Result<SlurmPlan> plan_slurm(const SlurmOptions& options, const Environment& environment, const Result<int>& gpus_per_node);

}  // namespace rollcall
