// A cluster that a service follows, as JSON: for the service, and for `rollcall fleet`. Pure.
#pragma once

#include <string>

#include "rollcall/fleet_cluster.hpp"

namespace rollcall {

/// An object without its age and without its closing brace: more may stand behind it.
std::string render_fleet_cluster_head(const FleetCluster& cluster);

/// `{"clusters":[…]}` has so many of these, whole.
std::string render_fleet_cluster(const FleetCluster& cluster);

}  // namespace rollcall
