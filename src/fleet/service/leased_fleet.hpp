// The fleet of a service whose settings name a lease: one of several replicas.
#pragma once

#include <memory>

#include "fleet/fleet.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

/// Asks the leader with the service's certificate, or with the token in the file of ROLLCALL_SERVER_TOKEN_FILE; checks it by
/// ROLLCALL_SERVER_CA, or the authorities of clients' certificates. Errors: invalid_argument, of the lease.
Result<std::shared_ptr<Fleet>> make_leased_fleet(const Runtime& runtime, const FleetServiceOptions& options, FleetOptions how);

}  // namespace rollcall::fleet
