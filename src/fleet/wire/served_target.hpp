// Which targets a service answers for, and which only the asker itself can resolve.
#pragma once

#include "rollcall/error.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// Clouds' and clusters' targets by name: `tpu:`, `gce:`, `kubernetes:`, `dns:`. Not those that mean the asker's own machine, and none
/// with a key that names a server or a file: a service that followed it would ask whom a stranger names, with its own credentials.
/// Errors: invalid_argument, saying why not.
Result<void> check_served(const Target& target);

}  // namespace rollcall::fleet
