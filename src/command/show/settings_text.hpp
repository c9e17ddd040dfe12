// A service's settings as text: their effect, and the changes by a new file.
#pragma once

#include <string>

#include "rollcall/fleet_settings.hpp"

namespace rollcall::command {

/// A line for each part.
std::string settings_text(const FleetServiceOptions& options);
/// `rights, allow`: the changed parts, by their names in the file; empty: none.
std::string changed_settings(const FleetServiceOptions& before, const FleetServiceOptions& now);

}  // namespace rollcall::command
