// Percent-encoding, and base URLs of APIs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/http_message.hpp"

namespace rollcall {

/// `text` with every byte escaped that is neither alphanumeric nor in `kept`.
std::string percent_encode(std::string_view text, std::string_view kept);
/// Absent: an escape is not two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// Escapes everything but RFC 3986's unreserved characters, so that the text is one path segment or one query value.
std::string percent_encode_path_segment(std::string_view text);

/// The base URL of an API: `https://host[:port]/path/`, with a slash at the end. `origin_of_value` names the value's origin in the message:
/// "the endpoint option"; `what` is the expected value. Errors: invalid_argument.
Result<Url> parse_api_root(std::string_view origin_of_value, std::string_view text, std::string_view what = "the root of an API");

}  // namespace rollcall
