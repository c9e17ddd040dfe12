// Documents whose keys somebody else judged before: a key that stands there twice means one thing to one reader and another to the next.
#pragma once

#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Refuses what is no JSON, and an object with the same key twice, at any depth. Keys that begin with the same 64 bytes count as the same.
/// `document` names what is read. Errors: malformed_response, limit_exceeded; they quote nothing of the text.
Result<void> check_unique_keys(std::string_view document, std::string_view text, const ParseLimits& limits = {});

}  // namespace rollcall
