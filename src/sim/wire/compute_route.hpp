// Paths of the Compute Engine API, v1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/wire/route.hpp"

namespace rollcall::sim {

/// `/compute/v1/projects/P/zones/Z/instances/I`, `…/instanceGroups/G/listInstances` and so on. Route::collection is `instances`,
/// `instanceGroups` or `regionInstanceGroups`, Route::location the zone or region.
bool read_compute_path(std::string_view method, const ParsedTarget& target, Route& route);

std::vector<std::string> compute_route_names();

}  // namespace rollcall::sim
