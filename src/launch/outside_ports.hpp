// The ports that the environment has set for the first process of a launch.
#pragma once

#include "rollcall/environment.hpp"
#include "rollcall/launch.hpp"

namespace rollcall {

/// Fills LaunchFacts::usual_ports from PET_MASTER_PORT, MASTER_PORT and JAX_COORDINATOR_ADDRESS: a controller that sets these for its job
/// has opened that port. A port counts only if the address beside it is the first task's. Errors: invalid_argument (no port).
Result<void> take_outside_ports(LaunchFacts& facts, const Environment& outside);

}  // namespace rollcall
