// What a service lists: followed clusters (GET /v1/clusters), and its replicas (GET /v1/replicas). Parses them, and names the place of a
// cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/fleet_replicas.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// FleetCluster::place of a target that names its project and zone.
std::string place_of(const Target& target);

/// The body of GET /v1/clusters. Errors: malformed_response, naming the field; limit_exceeded. Texts come out printable.
Result<std::vector<FleetCluster>> parse_cluster_list(std::string_view json, const ParseLimits& limits);

/// The body of GET /v1/replicas. Errors, and texts: the same.
Result<FleetReplicas> parse_replicas(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall::fleet
