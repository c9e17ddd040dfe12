// Whether a cluster is ready by one look at it, and who is missing. No I/O.
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
  std::optional<Failure> lost;  ///< why it can never become ready by itself: not_ready, with what to do; none: it may
  WaitProgress progress;        ///< the status, how many are ready, and who is missing; its times are not set
};

/// Judges `status` as wait_until_ready() does with its default options. `members`: how many there must be at least; 0: as many as the
/// topology says, if it does. Members are not asked themselves: `reachable` and `devices` count as `endpoints`. `subject` names the
/// cluster in `lost`.
ClusterVerdict judge_cluster(ClusterStatus status, Readiness until = usually_ready, int members = 0,
                             const std::string& subject = "the cluster");

}  // namespace rollcall
