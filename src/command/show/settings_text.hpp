// A service's settings in words: what it would do, and what a new file changes.
#pragma once

#include <string>

#include "rollcall/fleet_settings.hpp"

namespace rollcall::command {

/// A line for each part.
std::string settings_text(const FleetServiceOptions& options);
/// `rights, allow`: the parts that differ, as the file calls them; empty: none.
std::string changed_settings(const FleetServiceOptions& before, const FleetServiceOptions& now);

}  // namespace rollcall::command
