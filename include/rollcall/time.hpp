// The time types; independent of Asio, so that pure code can use durations.
#pragma once

#include <chrono>

namespace rollcall {

/// Lengths of time.
using Duration = std::chrono::nanoseconds;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;  ///< deadlines and delays
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;    ///< dates, UTC

}  // namespace rollcall
