// Base64 (RFC 4648): section 4, and section 5 as JSON Web Tokens have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/secret.hpp"

namespace rollcall {

/// Line breaks and blanks are passed over. Absent: any other character, or padding that does not fit.
std::optional<std::string> base64_decode(std::string_view text);
/// With padding.
std::string base64_encode(std::string_view bytes);
/// With `-` and `_` for `+` and `/`, and without padding.
std::string base64url_encode(std::string_view bytes);
/// What base64url_encode() writes, and nothing else: absent for padding, blanks, other characters, and bits behind the last byte.
std::optional<std::string> base64url_decode(std::string_view text);

/// What follows `Basic ` in a header field (RFC 7617).
Secret<std::string> basic_credentials(std::string_view user, std::string_view password);

}  // namespace rollcall
