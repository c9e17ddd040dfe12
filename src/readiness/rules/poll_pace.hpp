// The delay between two polls of a cluster. Arithmetic without a clock.
#pragma once

#include <optional>

#include "base/backoff.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// From this number of TPUs of one zone on, one list is requested instead of each TPU.
inline constexpr std::size_t enough_for_a_list = 4;

/// 2 s, then 1.5 times as long each time, up to 30 s, and 2 s again after progress. While the cluster is queued for capacity, 30 s up to
/// 5 min. Each up to a fifth longer or shorter, so that a fleet does not poll in step [facts: poll-jitter].
class PollPace {
 public:
  PollPace() {}
  /// With other bounds than 2 s and 30 s.
  PollPace(Duration shortest, Duration max) : shortest_(shortest), max_(max) {}
  /// For a service whose answer about a queued cluster costs no more than about another one.
  void poll_queued_alike() noexcept { is_queued_alike_ = true; }
  /// `has_changed`: the last poll found a change. `uniform` in [0, 1).
  Duration next(ClusterPhase phase, bool has_changed, double uniform);

 private:
  Duration shortest_ = std::chrono::seconds(2);
  Duration max_ = std::chrono::seconds(30);
  bool is_queued_alike_ = false;
  std::optional<ExponentialBackoff> backoff_;  // since the last progress
  bool was_queued_ = false;
};

inline Duration PollPace::next(ClusterPhase phase, bool has_changed, double uniform) {
  using namespace std::chrono_literals;
  const bool is_queued = phase == ClusterPhase::queued && !is_queued_alike_;
  const Duration shortest = is_queued ? Duration(30s) : shortest_;
  const Duration max = is_queued ? Duration(5min) : max_;
  constexpr double growth = 1.5;
  if (!backoff_ || has_changed || is_queued != was_queued_) backoff_.emplace(shortest, max, growth);
  was_queued_ = is_queued;
  constexpr double spread = 0.2;
  return with_jitter(backoff_->next(), 1 - spread, 2 * spread, uniform);
}

}  // namespace rollcall
