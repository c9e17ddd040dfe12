// Helpers for building URLs.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// Escapes everything but RFC 3986's unreserved characters, so that the text is one path segment or one query value.
std::string percent_encode_path_segment(std::string_view text);

}  // namespace rollcall
