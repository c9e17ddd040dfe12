// A cluster that a service follows, and the replicas of the service, as JSON: for the service, and for `rollcall fleet`. Pure.
#pragma once

#include <string>

#include "rollcall/fleet_cluster.hpp"
#include "rollcall/fleet_replicas.hpp"

namespace rollcall {

/// An object without its age and without its closing brace: further members may follow.
std::string render_fleet_cluster_head(const FleetCluster& cluster);

/// The number of complete objects in `{"clusters":[…]}`.
std::string render_fleet_cluster(const FleetCluster& cluster);

/// The answer of GET /v1/replicas.
std::string render_fleet_replicas(const FleetReplicas& replicas);

}  // namespace rollcall
