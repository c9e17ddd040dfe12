// Durations as users type them.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

inline constexpr std::string_view duration_forms = "30s, 500ms, 2m, 1m30s, 1h, or a bare number of seconds such as 30 or 0.5";

/// `30s`, `500ms`, `1m30s`, `1.5s`, `30`: units h, m, s, ms, each at most once and descending. Positive and at most a year.
/// Errors: invalid_argument naming the text and what is accepted.
Result<Duration> parse_duration(std::string_view text);

/// `340 ms`, `1.2 s`, `2 min 5 s`.
std::string duration_text(Duration duration);

}  // namespace rollcall
