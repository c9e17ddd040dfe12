// The settings of the lease by which one of several services asks the clouds: their faults, and the engine that they name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/settings/option_faults.hpp"
#include "lease/lease.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

/// No I/O. `is_https`: the service has a certificate.
std::vector<OptionFault> lease_faults(const FleetLease& lease, bool is_https);

/// Sends nothing yet. Errors: invalid_argument, of the options.
Result<std::shared_ptr<lease::LeaseEngine>> make_lease_engine(const FleetLease& lease);

/// FleetLease::serves_at with the values of its variables; empty: it is not set. Errors: invalid_argument: a variable that is not set, or
/// a URL that is none.
Result<std::string> serving_url(const FleetLease& lease, const Environment& environment);

}  // namespace rollcall::fleet
