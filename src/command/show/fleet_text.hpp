// The output of `rollcall fleet`: the clusters that a service follows, for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/fleet_cluster.hpp"

namespace rollcall::command {

/// Sorts by urgency: by standing, the worst first, then by target.
void sort_fleet(std::vector<FleetCluster>& clusters);

/// A line of counts, a head, and a line for each cluster. Lines are cut at `width` columns. `height`: the maximum of lines, 0 for all; if
/// some are left out the last line has their number.
std::vector<std::string> fleet_table(const std::vector<FleetCluster>& clusters, std::size_t width, std::size_t height);

/// `{"clusters":[…]}`, as GET /v1/clusters has them, and a line end.
std::string fleet_json(const std::vector<FleetCluster>& clusters);

}  // namespace rollcall::command
