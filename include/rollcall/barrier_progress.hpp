// Which tasks of a cluster are at a barrier, and why the others are not.
#pragma once

#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall {

/// A task that has not come to the barrier.
class BarrierAbsence {
 public:
  BarrierAbsence() {}
  BarrierAbsence(std::string task_name, std::string reason) : task(std::move(task_name)), why(std::move(reason)) {}
  std::string task;  ///< `worker:3`
  std::string why;
  std::string stage;    ///< what the task does now, as it says to a service (StageReporter); empty: not known
  Duration time{0};     ///< for how long it has done that
  Duration others{0};   ///< the median of what other tasks took for it; 0: not known
  /// "worker:3: its host does not answer at 10.0.0.3:8470", or "worker:3: `sync` for 3 min 10 s (others took 40.0 s)"
  std::string line() const;
  friend bool operator==(const BarrierAbsence&, const BarrierAbsence&) = default;
};

/// Which tasks are at the barrier.
class BarrierProgress {
 public:
  BarrierProgress() {}
  int tasks = 0;
  int here = 0;
  std::vector<BarrierAbsence> missing;  ///< the first ones of those that are missing
  std::string trouble;                  ///< why no task that keeps the roll can be asked; empty: one answers
  /// `61/64 here · worker:17: its host does not answer at 10.0.0.17:8470`
  std::string line() const;
  /// The same progress at another time: durations, which grow without news, are zero.
  BarrierProgress without_times() const;
  friend bool operator==(const BarrierProgress&, const BarrierProgress&) = default;
};

}  // namespace rollcall
