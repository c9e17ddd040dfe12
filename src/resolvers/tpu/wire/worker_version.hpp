// The answer of a TPU worker's version switcher: `{"currentVersion": "2.12.0"}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// None when `currentVersion` is absent or null. Errors: malformed_response (not a JSON object, not a text).
Result<std::optional<std::string>> parse_worker_version(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
