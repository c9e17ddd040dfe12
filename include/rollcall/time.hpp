// The kinds of time; no Asio here, so that pure code can speak of durations.
#pragma once

#include <chrono>

namespace rollcall {

/// Lengths of time.
using Duration = std::chrono::nanoseconds;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;  ///< deadlines and delays
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;    ///< what the world writes as a date, UTC

}  // namespace rollcall
