#include "readiness/rules/poll_pace.hpp"

namespace rollcall {

Duration PollPace::next(ClusterPhase phase, bool has_changed, double uniform) {
  using namespace std::chrono_literals;
  const bool is_queued = phase == ClusterPhase::queued;
  const Duration shortest = is_queued ? Duration(30s) : shortest_;
  const Duration longest = is_queued ? Duration(5min) : longest_;
  constexpr double growth = 1.5;
  if (!backoff_ || has_changed || is_queued != was_queued_) backoff_.emplace(shortest, longest, growth);
  was_queued_ = is_queued;
  constexpr double spread = 0.2;
  return with_jitter(backoff_->next(), 1 - spread, 2 * spread, uniform);
}

}  // namespace rollcall
