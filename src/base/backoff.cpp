#include "base/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace rollcall {

constexpr int most_pauses = 1000;  // after so many the longest has been reached

Duration ExponentialBackoff::nth(int n) const noexcept {
  if (shortest_ <= Duration(0) || longest_ <= Duration(0)) return Duration(0);
  const double growth = std::pow(factor_ > 0 ? factor_ : 1.0, std::max(n, 0));
  const double nanoseconds = static_cast<double>(shortest_.count()) * growth;
  if (!(nanoseconds < static_cast<double>(longest_.count()))) return longest_;  // infinity and NaN, too
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

Duration ExponentialBackoff::next() noexcept {
  const Duration pause = nth(made_);
  made_ = std::min(made_ + 1, most_pauses);
  return pause;
}

void ExponentialBackoff::slow_down() noexcept { made_ = most_pauses; }

Duration with_jitter(Duration pause, double from, double width, double uniform) noexcept {
  return std::chrono::duration_cast<Duration>(pause * (from + width * uniform));
}

}  // namespace rollcall
