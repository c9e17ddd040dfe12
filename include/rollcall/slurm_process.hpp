// What Slurm started this process as, by the variables that it sets. No I/O.
#pragma once

#include <cstdint>
#include <string>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// What Slurm started a process as.
enum class SlurmRole {
  none,  ///< no process of Slurm's, or one without the variables that say so
  task,  ///< a task of a step
  allocation,  ///< a batch script, or a shell of salloc or of `srun --interactive`: it has nodes, but no rank
};

class SlurmProcess {
 public:
  SlurmProcess() {}
  SlurmRole role = SlurmRole::none;
  std::string words;  ///< `a batch script`; empty for none
  std::string run;  ///< `5.0`, of job and step, the same for all tasks of a step; `5` in an allocation; empty: not known
};

/// Reads the variables. Those that are not set contradict nothing. Errors: conflict, if those of a step belong to another process: a batch
/// script or shell that is started within a step inherits them.
Result<SlurmProcess> find_slurm_process(const Environment& environment);

}  // namespace rollcall
