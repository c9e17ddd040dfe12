// A cluster that a service follows, in a line: what GET /v1/clusters tells, the page's first view shows, and `rollcall fleet` prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// How a cluster stands, in one word: the better first.
enum class ClusterStanding : std::uint8_t {
  ready,         ///< all of it
  incomplete,    ///< the service has done its part, and members are missing, or not ready
  provisioning,  ///< machines are being made
  queued,        ///< waits for capacity
  unknown,       ///< nobody has been able to look so far
  failed,        ///< it does not exist, or can never become ready
};
/// `ready`, `incomplete`, …; stable, used in JSON.
std::string_view to_string(ClusterStanding standing) noexcept;

class FleetCluster {
 public:
  FleetCluster() {}
  std::string target;
  std::string place;  ///< where it lies: `us-central2-b`, a region, a Kubernetes namespace; may be empty
  std::string type;   ///< `v4-128`; empty: not known
  ClusterStanding standing = ClusterStanding::unknown;
  ClusterPhase phase = ClusterPhase::running;
  std::string state;    ///< the service's word for it; may be empty
  int ready = 0;
  int total = 0;
  std::string missing;  ///< who is, in words; bounded
  std::string trouble;  ///< why nobody can look at present; empty: somebody can
  std::optional<std::chrono::milliseconds> age;  ///< of the last look that had an answer; absent: there was none
  std::uint64_t generation = 0;                  ///< counts changes of who is ready
  std::size_t followers = 0;
  friend bool operator==(const FleetCluster&, const FleetCluster&) = default;
};

}  // namespace rollcall
