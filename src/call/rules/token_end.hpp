// The expiry of a token, if its text contains it: JSON Web Tokens do, others are opaque.
#pragma once

#include <optional>
#include <string_view>

#include "rollcall/time.hpp"

namespace rollcall {

/// `exp` of a JSON Web Token (RFC 7519), whose signature is not checked: this is for messages, and proves nothing. Times outside the range
/// of WallTime are clamped. Absent: another kind of token, or a token without expiry.
std::optional<WallTime> token_end(std::string_view token);

}  // namespace rollcall
