// Percent-encoding, and helpers for building URLs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// `text` with every byte escaped that is neither alphanumeric nor in `kept`.
std::string percent_encode(std::string_view text, std::string_view kept);
/// Absent: an escape is not two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// Escapes everything but RFC 3986's unreserved characters, so that the text is one path segment or one query value.
std::string percent_encode_path_segment(std::string_view text);

}  // namespace rollcall
