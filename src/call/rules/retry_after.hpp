// How long a server asks to be left alone.
#pragma once

#include <optional>
#include <string_view>

#include "rollcall/time.hpp"

namespace rollcall {

/// Longest delay that any of the functions here returns.
inline constexpr Duration max_server_delay = std::chrono::hours(24 * 365);

/// The Retry-After header: whole seconds, or an HTTP date (one in the past is zero). Absent: anything else, a negative number included.
std::optional<Duration> parse_retry_after(std::string_view value, WallTime now);

/// A google.protobuf.Duration in JSON, such as `12.013647075s`. Absent: anything else, a negative one included.
std::optional<Duration> parse_proto_duration(std::string_view value);

}  // namespace rollcall
