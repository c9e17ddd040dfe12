// Sums and differences that saturate at the ends of the range instead of overflowing. A time-out may be nanoseconds::max(), a clock may
// have any value, and an index may come from a label: all calculations with them use these functions.
#pragma once

#include <cstdint>
#include <limits>

#include "rollcall/time.hpp"

namespace rollcall {

constexpr int saturating_sum(int a, int b) noexcept {
  int sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<int>::max() : std::numeric_limits<int>::min();
}

constexpr Duration saturating_sum(Duration a, Duration b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return Duration(sum);
  return b.count() > 0 ? Duration::max() : Duration::min();
}

/// `SteadyTime::max()` means never, and stays never.
template <class Clock>
constexpr std::chrono::time_point<Clock, Duration> saturating_sum(std::chrono::time_point<Clock, Duration> time, Duration by) noexcept {
  using Time = std::chrono::time_point<Clock, Duration>;
  return time == Time::max() ? time : Time(saturating_sum(time.time_since_epoch(), by));
}

/// How much later `later` is than `earlier`.
template <class Clock>
constexpr Duration saturating_difference(std::chrono::time_point<Clock, Duration> later,
                                         std::chrono::time_point<Clock, Duration> earlier) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(later.time_since_epoch().count(), earlier.time_since_epoch().count(), &difference)) {
    return Duration(difference);
  }
  return later > earlier ? Duration::max() : Duration::min();
}

}  // namespace rollcall
