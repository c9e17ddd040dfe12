// Restart or end? What follows when a program that is kept running has ended. Pure: times and chance are handed in.
#pragma once

#include <functional>

#include "rollcall/time.hpp"

namespace rollcall::command {

/// Why a program was told to end by its parent.
enum class StopReason {
  none,             ///< it was not
  member_lost,      ///< it has lost a member of its cluster, or is about to
  cluster_grown,    ///< an elastic job's cluster has another member
  own_machine_lost  ///< the machine that it runs on is about to be taken away
};

/// What a look at the cluster has shown, after a program has failed.
enum class ClusterCheck { not_yet, whole, lost };

/// How a program's run ended.
class RunEnd {
 public:
  RunEnd() {}
  int status = 0;  ///< 128 + n: by signal n
  StopReason stopped_for = StopReason::none;
  bool is_signalled_from_outside = false;  ///< by a signal that this command was sent, and passed on
  ClusterCheck poll = ClusterCheck::not_yet;
  Duration ran{0};
};

enum class NextStep {
  end,         ///< with the program's status
  poll,        ///< at the cluster, and ask again
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

/// Who is told to end from outside has ended, and so has who ends with 0 unasked: the work is done, whatever the others do. Who was stopped
/// for its cluster's sake is started anew, whatever its status. Who has failed is looked after: when a peer dies, that is the first thing
/// to be seen of it.
///
/// Each restart for a loss or a failure counts, up to a number of them; those for a member that joined do not, since a cluster cannot grow
/// for ever without losing anybody. The count begins anew after a run of ten minutes, as kubelet's does: what ran so long did not end for
/// the reason for which it was started. Pauses are RetryPolicy's, full jitter from 1 s to 1 min.
class RestartRule {
 public:
  static constexpr Duration long_run = std::chrono::minutes(10);
  static constexpr Duration first_pause = std::chrono::seconds(1);
  static constexpr Duration max_pause = std::chrono::minutes(1);

  RestartRule(bool on_lost, bool on_failed, int max_restarts) : on_lost_(on_lost), on_failed_(on_failed), max_restarts_(max_restarts) {}

  /// A decision to restart is taken as carried out. `uniform` in [0, 1).
  RestartDecision after(const RunEnd& end, const std::function<double()>& uniform);

  int restarts() const noexcept { return restarts_; }  ///< all of them
  int counted() const noexcept { return counted_; }  ///< since the count began anew
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
