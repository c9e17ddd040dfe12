// Writing JSON strings.
#include "core/json_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "core/text.hpp"

namespace rollcall {

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (!c.is_valid) {
      out += "\xEF\xBF\xBD";
    } else if (c.code == '"' || c.code == '\\') {
      out += {'\\', static_cast<char>(c.code)};
    } else if (c.code == '\n') {
      out += "\\n";
    } else if (c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0)) {  // a terminal would obey C1 controls, too
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c.code));
    } else {
      out.append(text, at, c.size);
    }
    at += c.size;
  }
  out.push_back('"');
}

void append_json_field(std::string& out, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(out), "{}\"{}\":", out.ends_with('{') ? "" : ",", name);
  append_json_string(out, value);
}

}  // namespace rollcall
