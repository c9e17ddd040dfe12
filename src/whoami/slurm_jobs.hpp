// The Slurm jobs of a cluster, and which of them this process is in: Slurm's ranks count within one job. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// The numbers of the jobs that all these members are nodes of, in the members' order; empty: they are of something else.
std::vector<std::string> slurm_jobs_of(const std::vector<Member>& members);

/// How a process stands to the Slurm jobs whose nodes the members are.
class SlurmMembership {
 public:
  SlurmMembership() {}
  std::string outside;  ///< why it is in none of them; empty: nothing speaks against it
  std::string way_in;   ///< how a process becomes a task there; empty: the members are of no Slurm job
};
SlurmMembership slurm_membership(const std::vector<Member>& members, const Environment& environment);

}  // namespace rollcall
