// The replicas of a service, as JSON: the table by which they are written, and read by `rollcall fleet`.
#pragma once

#include <limits>
#include <string>

#include "json/json_fields.hpp"
#include "json/json_values.hpp"
#include "render/status_fields.hpp"
#include "rollcall/fleet_replicas.hpp"

namespace rollcall {

using EpochNumber = NumberUpTo<std::numeric_limits<std::int64_t>::max(), "no epoch">;

inline std::string check_fleet_replica(FleetReplica& replica) { return replica.replica.empty() ? "has no id" : std::string(); }

// clang-format off
inline constexpr auto fleet_replica_fields = json_object<FleetReplica, check_fleet_replica>(
    json_field<&FleetReplica::replica, PrintableText<128>>("replica"),
    json_field<&FleetReplica::view_age, AgeOrNull>("view_age_ms"));
inline constexpr auto fleet_replicas_fields = json_object<FleetReplicas>(
    json_field<&FleetReplicas::replica, PrintableText<128>>("replica"),
    json_field<&FleetReplicas::leader, PrintableText<128>>("leader"),
    json_field<&FleetReplicas::leader_url, PrintableText<512>>("leader_url"),
    json_field<&FleetReplicas::epoch, EpochNumber>("epoch"),
    json_field<&FleetReplicas::leads_since, OptionalTime>("since"),
    json_field<&FleetReplicas::trouble, LineText>("trouble"),
    array_field<&FleetReplicas::replicas, fleet_replica_fields>("replicas"));
// clang-format on

}  // namespace rollcall
