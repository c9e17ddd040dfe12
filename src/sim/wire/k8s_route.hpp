// The paths of the Kubernetes API.
#pragma once

#include <string_view>
#include <vector>

#include "sim/wire/route.hpp"

namespace rollcall::sim {

/// Fills in service, name, location (the namespace; empty: all), collection (the resource), item and verb. False: no path of this API.
bool read_kube_path(std::string_view method, const ParsedTarget& target, Route& route);

/// Every name that such a route can have.
std::vector<std::string> kube_route_names();

}  // namespace rollcall::sim
