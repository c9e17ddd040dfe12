// Base64 (RFC 4648): section 4, and section 5 (base64url) in the form of JSON Web Tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/secret.hpp"

namespace rollcall {

/// Line breaks and blanks are skipped. Absent: any other character, or wrong padding.
std::optional<std::string> base64_decode(std::string_view text);
/// With padding.
std::string base64_encode(std::string_view bytes);
/// With `-` and `_` for `+` and `/`, and without padding.
std::string base64url_encode(std::string_view bytes);
/// Accepts exactly the output of base64url_encode(): absent for padding, blanks, other characters, and non-zero bits after the last byte.
std::optional<std::string> base64url_decode(std::string_view text);

/// The text after `Basic ` in a header field (RFC 7617).
Secret<std::string> basic_credentials(std::string_view user, std::string_view password);

}  // namespace rollcall
