// Text in the spelling of Python's repr().

#include "base/append_formatted.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

// Blanks other than the ASCII blank, and private use: characters that printable() shows but Python escapes.
bool is_escaped_by_python_only(char32_t c) noexcept {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000 ||
         (c >= 0xE000 && c <= 0xF8FF) || c >= 0xF0000;
}

void append_escaped(std::string& out, std::string_view bytes, Utf8Char c) {
  const auto code = static_cast<unsigned>(c.code);
  if (!c.is_valid) {
    append_formatted(out, "\\udc{:02x}", code);
  } else if (c.code == '\n') {
    out += "\\n";
  } else if (c.code == '\r') {
    out += "\\r";
  } else if (c.code == '\t') {
    out += "\\t";
  } else if (!is_hidden(c.code) && !is_escaped_by_python_only(c.code)) {
    out += bytes;
  } else if (code <= 0xFF) {
    append_formatted(out, "\\x{:02x}", code);
  } else if (code <= 0xFFFF) {
    append_formatted(out, "\\u{:04x}", code);
  } else {
    append_formatted(out, "\\U{:08x}", code);
  }
}

}  // namespace

std::string python_repr(std::string_view text) {
  const bool is_double = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = is_double ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (c.is_valid && (c.code == static_cast<unsigned char>(quote) || c.code == '\\')) out.push_back('\\');
    append_escaped(out, text.substr(at, c.size), c);
    at += c.size;
  }
  out.push_back(quote);
  return out;
}

}  // namespace rollcall
