// The states of the machines of a step, which are nodes of its job. Pure.
#pragma once

#include <string>

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

enum class StepUses {
  parts,        ///< a step: each member is a task, which may have less than the job has on its node
  whole_nodes,  ///< an allocation: each member is a node of the job
};

/// Gives the members of `step` the states of their machines, and the step the state of its job. A member of `job` is a node; nothing is
/// said of nodes that the step does not use. `subject` names the job. Errors: conflict, if the job has none of these machines.
Result<void> take_job_states(const ClusterStatus& job, const std::string& subject, StepUses uses, ClusterStatus& step);

}  // namespace rollcall
