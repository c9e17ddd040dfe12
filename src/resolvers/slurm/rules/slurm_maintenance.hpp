// Maintenance that is planned for the nodes of a job that runs. Pure.
#pragma once

#include "resolvers/slurm/rules/slurm_view.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The code of the cause that a member has, while its node is to be maintained before the job ends.
inline constexpr std::string_view maintenance_code = "MAINT";

/// Adds a notice, and a cause to each member concerned, for each reservation of the view with the flag MAINT that begins within a day and
/// before the job ends.
void add_slurm_maintenance(const SlurmView& view, ClusterStatus& status);

}  // namespace rollcall
