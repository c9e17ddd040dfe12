// How long an event of a peer was under way, by the peer's clock: what arrives late is older than it says. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// Compares the times at which events were sent, on the peer's clock, with those at which they came. The quickest event shows how the
/// clocks differ; one that took longer by comparison was under way for that time. Clocks that drift apart make ages larger, never smaller.
class PeerClock {
 public:
  PeerClock() {}
  /// For each event, in the order of arrival. Returns by how much more than the quickest one it was under way.
  Duration delay_of(std::chrono::milliseconds sent_at, SteadyTime came_at) {
    const Duration difference = came_at.time_since_epoch() - Duration(sent_at);
    if (!quickest_ || difference <= with_drift(came_at)) {
      quickest_ = difference;
      quickest_at_ = came_at;
      return Duration(0);
    }
    return difference - with_drift(came_at);
  }

 private:
  // An old comparison counts less and less: a clock that is 0.02 % slow delays nothing.
  Duration with_drift(SteadyTime now) const { return *quickest_ + (now - quickest_at_) / 5000; }

  std::optional<Duration> quickest_;
  SteadyTime quickest_at_{};
};

}  // namespace rollcall::fleet
