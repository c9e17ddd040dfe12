// What `rollcall fleet` prints: the clusters that a service follows, for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/fleet_cluster.hpp"

namespace rollcall::command {

/// In the order in which they need somebody: by standing, the worst first, then by target.
void sort_fleet(std::vector<FleetCluster>& clusters);

/// A line of counts, a head, and a line for each cluster; what does not fit into `width` columns is cut off; `height`: so many lines at
/// most, 0 for all, the last one counts what is left out.
std::vector<std::string> fleet_table(const std::vector<FleetCluster>& clusters, std::size_t width, std::size_t height);

/// `{"clusters":[…]}`, as GET /v1/clusters has them, and a line end.
std::string fleet_json(const std::vector<FleetCluster>& clusters);

}  // namespace rollcall::command
