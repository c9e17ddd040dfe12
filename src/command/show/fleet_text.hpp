// The output of `rollcall fleet`: the clusters that a service follows, and the barriers that meet there, for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/barrier_list.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/fleet_replicas.hpp"

namespace rollcall::command {

/// Sorts by urgency: by standing, the worst first, then by target.
void sort_fleet(std::vector<FleetCluster>& clusters);

/// A line of counts, a head, and a line for each cluster. Lines are cut at `width` columns. `height`: the maximum of lines, 0 for all; if
/// some are left out the last line has their number.
std::vector<std::string> fleet_table(const std::vector<FleetCluster>& clusters, std::size_t width, std::size_t height);

/// Which replica of the service leads, since when, and how old what each of the others knows is; empty: the service has no replicas.
std::string replicas_line(const FleetReplicas& replicas);

/// A line for each barrier, cut at `width` columns.
std::vector<std::string> barrier_lines(const std::vector<ListedBarrier>& barriers, std::size_t width);

/// `{"clusters":[…],"replicas":{…},"barriers":[…]}`, the first two as GET /v1/clusters and GET /v1/replicas have them, and a line end.
/// Without replicas, or barriers, there is no such member.
std::string fleet_json(const std::vector<FleetCluster>& clusters, const FleetReplicas& replicas, const std::vector<ListedBarrier>& barriers,
                       WallTime now);

}  // namespace rollcall::command
