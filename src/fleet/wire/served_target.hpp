// Which targets a service answers for, and which only the asker itself can resolve; and the one text that each of them has.
#pragma once

#include "rollcall/error.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// Clouds' and clusters' targets by name: `tpu:`, `gce:`, `kubernetes:`, `dns:`. Not those that mean the asker's own machine, and none
/// with a key that names a server or a file: a service that followed it would ask whom a stranger names, with its own credentials.
/// Errors: invalid_argument, saying why not.
Result<void> check_served(const Target& target);

/// The target with its keys in order, so that it is one however it was written: its place first (project, zone or region), then the others
/// by name. Jobs (`job.NAME`) come last and stay in their order, which is the cluster's. Pure.
Target canonical_target(Target target);

}  // namespace rollcall::fleet
