// ISO times of the vector format.
#pragma once

#include <optional>
#include <string_view>

#include "rollcall/time.hpp"

namespace rollcall::conformance {

/// `YYYY-MM-DDTHH:MM:SS[.fraction]`, then nothing, `Z` or `+00:00`.
std::optional<WallTime> parse_instant(std::string_view text);

}  // namespace rollcall::conformance
