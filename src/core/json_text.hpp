// Writing JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so that the output always is.
void append_json_string(std::string& out, std::string_view text);

}  // namespace rollcall
