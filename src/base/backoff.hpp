// Pauses that grow, and chance that keeps a fleet from asking in step. Arithmetic; no clock.
#pragma once

#include "rollcall/time.hpp"

namespace rollcall {

/// `shortest`, then each pause `factor` times as long as the one before, up to `longest`.
class ExponentialBackoff {
 public:
  ExponentialBackoff(Duration shortest, Duration longest, double factor = 2) noexcept
      : shortest_(shortest), longest_(longest), factor_(factor) {}

  /// min(longest, shortest·factor^n), whatever the numbers; the first pause has n = 0.
  Duration nth(int n) const noexcept;
  /// The pause to make now.
  Duration next() noexcept;
  /// The next pause is the shortest again.
  void reset() noexcept { made_ = 0; }
  /// The next pause is the longest.
  void slow_down() noexcept;

 private:
  Duration shortest_;
  Duration longest_;
  double factor_;
  int made_ = 0;
};

/// `pause` times a number that is uniform in [from, from + width); `uniform` in [0, 1).
Duration with_jitter(Duration pause, double from, double width, double uniform) noexcept;

}  // namespace rollcall
