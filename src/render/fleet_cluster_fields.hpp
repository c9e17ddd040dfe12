// A cluster that a service follows, as JSON: the table by which it is written, and read by `rollcall fleet`.
#pragma once

#include <limits>
#include <string>

#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "render/status_fields.hpp"
#include "rollcall/fleet_cluster.hpp"

namespace rollcall {

/// A word that a later version may write is read as `unknown`.
class StandingWord : public WordOf<ClusterStanding, static_cast<std::size_t>(ClusterStanding::failed) + 1, "standing of a cluster"> {
 public:
  static std::string read(ClusterStanding& slot, std::string_view word) {
    slot = ClusterStanding::unknown;
    (void)WordOf::read(slot, word);
    return {};
  }
};
using ClusterCount = IntUpToMax<"out of range">;

inline std::string check_fleet_cluster(FleetCluster& cluster) { return cluster.target.empty() ? "has no target" : std::string(); }

// clang-format off
/// All but the age, which changes while the others do not.
inline constexpr auto fleet_cluster_head_fields = json_object<FleetCluster>(
    json_field<&FleetCluster::target, LineText>("target"),
    json_field<&FleetCluster::place, LineText>("place"),
    json_field<&FleetCluster::type, LineText>("type"),
    json_field<&FleetCluster::standing, StandingWord>("standing"),
    json_field<&FleetCluster::phase, PhaseWord>("phase"),
    json_field<&FleetCluster::state, LineText>("state"),
    json_field<&FleetCluster::ready, ClusterCount>("ready"),
    json_field<&FleetCluster::total, ClusterCount>("total"),
    json_field<&FleetCluster::missing, LineText>("missing"),
    json_field<&FleetCluster::trouble, LineText>("trouble"),
    json_field<&FleetCluster::generation, ClusterCount>("generation"),
    json_field<&FleetCluster::followers, ClusterCount>("followers"));
inline constexpr auto fleet_cluster_fields = json_object<FleetCluster, check_fleet_cluster>(
    fleet_cluster_head_fields,
    json_field<&FleetCluster::age, AgeOrNull>("age_ms"));
// clang-format on

}  // namespace rollcall
