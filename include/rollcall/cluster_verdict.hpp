// Whether a cluster is ready according to one status, and which members are missing. No I/O.
#pragma once

#include <optional>

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/readiness.hpp"
#include "rollcall/wait_progress.hpp"

namespace rollcall {

class ClusterVerdict {
 public:
  ClusterVerdict() {}
  bool is_ready = false;
  std::optional<Failure> lost;  ///< why it can never become ready by itself: not_ready, with a hint; none: it may
  WaitProgress progress;        ///< the status, how many members are ready, and which are missing; its times are not set
};

/// Judges `status` as wait_until_ready() does with its default options. `members`: the minimum number of members; 0: as many as the
/// topology gives, if it gives a number. Members are not contacted: `reachable` and `devices` count as `endpoints`. `subject` names the
/// cluster in `lost`.
ClusterVerdict judge_cluster(ClusterStatus status, Readiness until = usually_ready, int members = 0,
                             const std::string& subject = "the cluster");

}  // namespace rollcall
