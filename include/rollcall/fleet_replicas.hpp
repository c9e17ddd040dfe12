// The replicas of a service of one lease: which one leads, since when, and how old what each of them knows is. GET /v1/replicas.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall {

class FleetReplica {
 public:
  FleetReplica() {}
  std::string replica;  ///< its id, of its host and a random number: `rollcall-0-1f2e3d4c`
  /// The time since it knew all that the leader knew, as the replica says it every five seconds, and since then; absent: not known.
  std::optional<std::chrono::milliseconds> view_age;
  friend bool operator==(const FleetReplica&, const FleetReplica&) = default;
};

class FleetReplicas {
 public:
  FleetReplicas() {}
  std::string replica;     ///< the one that reports this; empty: the service is alone, or does not show its replicas to this client
  std::string leader;      ///< the id of the one that leads, by the lease; empty: none
  std::string leader_url;  ///< where it serves; empty: not known
  std::uint64_t epoch = 0;               ///< the highest that was seen
  std::optional<WallTime> leads_since;   ///< by the leader's clock; absent: not known
  std::string trouble;                   ///< why no leader is followed at present; empty: one is, or this one leads
  std::vector<FleetReplica> replicas;    ///< the leader, and those that follow it, as the leader says
  friend bool operator==(const FleetReplicas&, const FleetReplicas&) = default;
};

}  // namespace rollcall
