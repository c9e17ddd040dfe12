// Times as text. Dates without locale or time zone data: RFC 3339, and the three formats of an HTTP date; and durations for display.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/time.hpp"

namespace rollcall {

/// `2026-10-05T01:12:59.123456789Z`: fraction of 0 to 9 digits, `Z` or an offset (`+05:30`), `T` and `Z` in either case. A leap second
/// (`:60`) counts as the next minute's first second. Absent: not of that form, no such day, or outside the years 1678 to 2261.
std::optional<WallTime> parse_rfc3339(std::string_view text);

/// `2026-10-05T01:12:59Z`, with as many of 3, 6 or 9 fraction digits as needed.
std::string format_rfc3339(WallTime time);

/// `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. A two-digit year more
/// than 50 years after `now` is in the century before. A year outside the range of WallTime is clamped. Source: RFC 9110, section 5.6.7.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

/// The first of the formats above.
std::string format_http_date(WallTime time);

/// `0.4 s`, `12 s`, `2 m 10 s`, `1 h 3 m`, `2 d 4 h`: two units at most.
std::string coarse_duration_text(Duration duration);

}  // namespace rollcall
