// Which targets a service answers for, and which only the client can resolve; and the canonical text of a target.
#pragma once

#include "rollcall/error.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// Succeeds for a target whose scheme has rules (SchemeRules) that allow its name and its keys. Refused are names that depend on the
/// client's machine, and keys that name a server or a file: a service that used them would send its own credentials to a server that a
/// client chose. Errors: invalid_argument, with the reason.
Result<void> check_served(const Target& target);

/// The target with its keys in order, so that each target has one text: its place first (project, zone or region), then the others by name.
/// Jobs (`job.NAME`) come last and stay in their order, which is the cluster's. Pure.
Target canonical_target(Target target);

}  // namespace rollcall::fleet
