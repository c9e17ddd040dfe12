// The resolvers of a service. A client names a Slurm job and perhaps its cluster; how that one is asked is among the settings alone.
#pragma once

#include <vector>

#include "fleet/fleet_core.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

/// Without `slurm` its jobs are asked of Slurm's programs.
ResolverMaker service_resolvers(std::vector<FleetSlurm> slurm);

}  // namespace rollcall::fleet
