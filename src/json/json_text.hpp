// Writing JSON strings, and an object's members that are strings.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so that the output always is.
void append_json_string(std::string& out, std::string_view text);

/// Appends a member of an object, `"name":"value"`, after a comma unless it is the first. `name` needs no escapes.
void append_json_field(std::string& out, std::string_view name, std::string_view value);

}  // namespace rollcall
