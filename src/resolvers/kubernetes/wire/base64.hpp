// Base64 (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// Line breaks and blanks are passed over. Absent: any other character, or padding that does not fit.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace rollcall
