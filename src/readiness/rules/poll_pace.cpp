#include "readiness/rules/poll_pace.hpp"

#include <algorithm>

namespace rollcall {

Duration PollPace::next(ClusterPhase phase, bool has_changed, double uniform) {
  using namespace std::chrono_literals;
  const bool is_queued = phase == ClusterPhase::queued;
  const Duration shortest = is_queued ? Duration(30s) : shortest_;
  const Duration longest = is_queued ? Duration(5min) : longest_;
  const bool starts_again = last_ == Duration(0) || has_changed || is_queued != was_queued_;
  last_ = starts_again ? shortest : std::min(last_ + last_ / 2, longest);
  was_queued_ = is_queued;
  constexpr double spread = 0.2;
  return std::chrono::duration_cast<Duration>(last_ * (1 - spread + 2 * spread * uniform));
}

}  // namespace rollcall
