// How old what a follower reports is: what was seen too long ago, and cannot be seen anew, makes nothing ready.
#pragma once

#include <chrono>

#include "base/saturating.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// When the look was that a report rests on; of several looks the oldest.
class Seen {
 public:
  explicit Seen(SteadyTime when, Duration makes_ready_for = std::chrono::seconds(30)) : at(when), good_for(makes_ready_for) {}
  SteadyTime at;
  Duration good_for;  ///< while it cannot be asked anew: what is older makes nothing ready
  SteadyTime end() const { return saturating_sum(at, good_for); }
};

/// An observer that wants to know. Followers tell it by report_seen().
class DatedObserver : public StatusObserver {
 public:
  /// Of the last report and of the next one: told before a report, or by itself where nothing has changed.
  virtual void take_seen(const Seen& seen) = 0;
};

/// Tells those observers that want to know.
inline void report_seen(StatusObserver& feed, const Seen& seen) {
  if (auto* const dated = dynamic_cast<DatedObserver*>(&feed)) dated->take_seen(seen);
}

}  // namespace rollcall
