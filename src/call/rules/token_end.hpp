// Until when a token is good, where its own text says so: JSON Web Tokens do, others are words without a meaning to their bearer.
#pragma once

#include <optional>
#include <string_view>

#include "rollcall/time.hpp"

namespace rollcall {

/// `exp` of a JSON Web Token (RFC 7519), whose signature is not looked at: this is for messages, and proves nothing. Times that a WallTime
/// cannot hold become its ends. Absent: another kind of token, or one that does not say.
std::optional<WallTime> token_end(std::string_view token);

}  // namespace rollcall
