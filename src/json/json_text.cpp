// Writing JSON strings.
#include "json/json_text.hpp"

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

// UTF-16, as JSON requires.
void append_escape(std::string& out, char32_t code) {
  const auto unit = [&out](char32_t value) { append_formatted(out, "\\u{:04x}", static_cast<unsigned>(value)); };
  if (code < 0x10000) return unit(code);
  unit(0xD7C0 + (code >> 10));
  unit(0xDC00 + (code & 0x3FF));
}

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const auto* const run = text.data() + at;  // most texts are one run
    const auto* const end = std::find_if_not(run, text.data() + text.size(), is_plain);
    out.append(run, end);
    at += static_cast<std::size_t>(end - run);
    if (at == text.size()) break;
    const Utf8Char c = decode_utf8(text, at);
    if (!c.is_valid) {
      out += "\xEF\xBF\xBD";
    } else if (c.code == '"' || c.code == '\\') {
      out += {'\\', static_cast<char>(c.code)};
    } else if (c.code == '\n') {
      out += "\\n";
    } else if (is_hidden(c.code)) {  // some would control a terminal, others mislead a reader
      append_escape(out, c.code);
    } else {
      out.append(text, at, c.size);
    }
    at += c.size;
  }
  out.push_back('"');
}

void append_json_field(std::string& out, std::string_view name, std::string_view value) {
  append_formatted(out, "{}\"{}\":", out.ends_with('{') ? "" : ",", name);
  append_json_string(out, value);
}

}  // namespace rollcall
