// Who is who in a Slurm step: a pure function of options and environment.
#pragma once

#include <string>
#include <vector>

#include "rollcall/slurm_resolver.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall {

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
  std::vector<Job> jobs;    ///< sorted by name; together they have all slots
  int rank = 0;
  int gpus_per_task = 0;

  ClusterSpec cluster() const;
  /// Errors: failed_precondition when there is no slot for the rank.
  Result<SlurmTask> task() const;
};

/// GPUs by CUDA_VISIBLE_DEVICES or SLURM_GPUS_ON_NODE. Errors: invalid_argument.
Result<int> count_slurm_gpus(const Environment& environment);

/// `gpus_per_node`: that count, when the options do not say [facts: slurm-gpus].
Result<SlurmPlan> plan_slurm(const SlurmOptions& options, const Environment& environment, const Result<int>& gpus_per_node);

}  // namespace rollcall
