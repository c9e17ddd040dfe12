// The age of a follower's reports: a report that is too old, and cannot be confirmed at present, makes nothing ready.
#pragma once

#include <chrono>

#include "base/saturating.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The time at which a report was confirmed; of several requests the oldest.
class Seen {
 public:
  explicit Seen(SteadyTime when, Duration makes_ready_for = std::chrono::seconds(30)) : at(when), good_for(makes_ready_for) {}
  SteadyTime at;
  Duration good_for;  ///< how long a report is valid if it cannot be confirmed again
  SteadyTime end() const { return saturating_sum(at, good_for); }
};

/// An observer that needs this time. Followers pass it by report_seen().
class DatedObserver : public StatusObserver {
 public:
  /// The time of the last report and of the next one: passed before a report, or alone if nothing has changed.
  virtual void take_seen(const Seen& seen) = 0;
};

/// Passes the time to the observer, if it is a DatedObserver.
inline void report_seen(StatusObserver& observer, const Seen& seen) {
  if (auto* const dated = dynamic_cast<DatedObserver*>(&observer)) dated->take_seen(seen);
}

}  // namespace rollcall
