// Checks documents that another program validated before: two readers may interpret a duplicate key differently.
#pragma once

#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Refuses invalid JSON, and an object with the same key twice, at any depth. Keys that begin with the same 64 bytes count as the same.
/// `document` names the document. Errors: malformed_response, limit_exceeded; they quote nothing of the text.
Result<void> check_unique_keys(std::string_view document, std::string_view text, const ParseLimits& limits = {});

}  // namespace rollcall
