// Followed clusters in a line each: where each lies, and the list of GET /v1/clusters, read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// FleetCluster::place of a target whose project and zone stand in it.
std::string place_of(const Target& target);

/// The body of GET /v1/clusters. Errors: malformed_response, naming the field; limit_exceeded. Texts come out printable.
Result<std::vector<FleetCluster>> parse_cluster_list(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall::fleet
