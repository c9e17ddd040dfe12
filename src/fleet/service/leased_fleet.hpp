// The fleet of a service whose settings name a lease: one of several replicas.
#pragma once

#include <memory>

#include "fleet/fleet.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

/// Asks the leader with the service's certificate where replicas ask clients for one, and with the token of the lease's settings, if any.
/// Errors: invalid_argument, of the lease.
Result<std::shared_ptr<Fleet>> make_leased_fleet(const Runtime& runtime, const FleetServiceOptions& options, FleetOptions how);

}  // namespace rollcall::fleet
