// Decides what follows when a supervised program has ended: a restart or the end. Pure: times and random numbers are arguments.
#pragma once

#include <functional>

#include "rollcall/time.hpp"

namespace rollcall::command {

/// Why the parent asked a program to end.
enum class StopReason {
  none,             ///< it did not
  member_lost,      ///< the cluster has lost a member, or is about to
  cluster_grown,    ///< an elastic job's cluster has a further member
  own_machine_lost  ///< the program's own machine is about to be taken away
};

/// The state of the cluster after a program has failed.
enum class ClusterCheck { not_yet, whole, lost };

/// How a run of the program ended.
class RunEnd {
 public:
  RunEnd() {}
  int status = 0;  ///< 128 + n: by signal n
  StopReason stopped_for = StopReason::none;
  bool is_signalled_from_outside = false;  ///< by a signal that this command got and passed on
  ClusterCheck poll = ClusterCheck::not_yet;
  Duration ran{0};
};

enum class NextStep {
  end,         ///< end with the program's status
  poll,        ///< poll the cluster, then decide again
  restart,
  give_up
};

class RestartDecision {
 public:
  RestartDecision() {}
  RestartDecision(NextStep what, Duration before_it = {}) : step(what), pause(before_it) {}
  NextStep step;
  Duration pause{0};  ///< before the restart
};

/// A program that was ended by a signal from outside, or that ends with 0 by itself, has ended for good: its work is done. A program that
/// was stopped because of its cluster is restarted with any status. A program that failed leads to a poll of the cluster: a peer's death
/// often shows first as a failure.
///
/// Each restart for a loss or a failure counts, up to a maximum; restarts for a member that joined do not count, since a cluster cannot
/// grow for ever without losses. The count is reset after a run of ten minutes, as in kubelet: after so long a run the failure has another
/// cause. Pauses are RetryPolicy's, full jitter from 1 s to 1 min.
class RestartRule {
 public:
  static constexpr Duration long_run = std::chrono::minutes(10);
  static constexpr Duration first_pause = std::chrono::seconds(1);
  static constexpr Duration max_pause = std::chrono::minutes(1);

  RestartRule(bool on_lost, bool on_failed, int max_restarts) : on_lost_(on_lost), on_failed_(on_failed), max_restarts_(max_restarts) {}

  /// The caller must carry out a decision to restart. `uniform` in [0, 1).
  RestartDecision after(const RunEnd& end, const std::function<double()>& uniform);

  int restarts() const noexcept { return restarts_; }  ///< all restarts
  int counted() const noexcept { return counted_; }  ///< since the last reset of the count
  int max_restarts() const noexcept { return max_restarts_; }

 private:
  NextStep judge(const RunEnd& end) const;

  bool on_lost_;
  bool on_failed_;
  int max_restarts_;
  int restarts_ = 0;
  int counted_ = 0;
};

}  // namespace rollcall::command
