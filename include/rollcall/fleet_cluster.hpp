// Summary of a cluster that a service follows: an element of GET /v1/clusters, of the page's first view and of the output of
// `rollcall fleet`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The overall state of a cluster; a smaller value is better.
enum class ClusterStanding : std::uint8_t {
  ready,         ///< all members are ready
  incomplete,    ///< the service has finished provisioning, and members are missing, or not ready
  provisioning,  ///< machines are being created
  queued,        ///< waits for capacity
  unknown,       ///< no poll has succeeded so far
  failed,        ///< it does not exist, or can never become ready
};
/// `ready`, `incomplete`, …; stable, used in JSON.
std::string_view to_string(ClusterStanding standing) noexcept;

class FleetCluster {
 public:
  FleetCluster() {}
  std::string target;
  std::string place;  ///< its location: `us-central2-b`, a region, a Kubernetes namespace; may be empty
  std::string type;   ///< `v4-128`; empty: not known
  ClusterStanding standing = ClusterStanding::unknown;
  ClusterPhase phase = ClusterPhase::running;
  std::string state;    ///< the service's word for the state; may be empty
  int ready = 0;
  int total = 0;
  std::string missing;  ///< the missing members, in words; bounded
  std::string trouble;  ///< why polls fail at present; empty: they succeed
  std::optional<std::chrono::milliseconds> age;  ///< of the last poll with an answer; absent: there was none
  std::uint64_t generation = 0;                  ///< increases with each change of the set of ready members
  std::size_t followers = 0;
  friend bool operator==(const FleetCluster&, const FleetCluster&) = default;
};

}  // namespace rollcall
