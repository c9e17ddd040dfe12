// Exponential back-off, and random jitter that keeps clients from sending in step. Arithmetic; no clock.
#pragma once

#include <algorithm>
#include <cmath>

#include "rollcall/time.hpp"

namespace rollcall {

/// `min`, then each pause `factor` times as long as the one before, up to `max`.
class ExponentialBackoff {
 public:
  ExponentialBackoff(Duration min, Duration max, double factor = 2) noexcept : min_(min), max_(max), factor_(factor) {}

  /// min(max, min·factor^n), for all numbers; the first pause has n = 0.
  Duration nth(int n) const noexcept;
  /// The pause to make now.
  Duration next() noexcept;
  /// The next pause is `min` again.
  void reset() noexcept { made_ = 0; }
  /// The next pause is `max`.
  void slow_down() noexcept { made_ = max_pauses; }

 private:
  static constexpr int max_pauses = 1000;  // after this many `max` has been reached

  Duration min_;
  Duration max_;
  double factor_;
  int made_ = 0;
};

inline Duration ExponentialBackoff::nth(int n) const noexcept {
  if (min_ <= Duration(0) || max_ <= Duration(0)) return Duration(0);
  const double growth = std::pow(factor_ > 0 ? factor_ : 1.0, std::max(n, 0));
  const double nanoseconds = static_cast<double>(min_.count()) * growth;
  if (!(nanoseconds < static_cast<double>(max_.count()))) return max_;  // infinity and NaN, too
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

inline Duration ExponentialBackoff::next() noexcept {
  const Duration pause = nth(made_);
  made_ = std::min(made_ + 1, max_pauses);
  return pause;
}

/// `pause` times a number that is uniform in [from, from + width); `uniform` in [0, 1).
inline Duration with_jitter(Duration pause, double from, double width, double uniform) noexcept {
  return std::chrono::duration_cast<Duration>(pause * (from + width * uniform));
}

}  // namespace rollcall
