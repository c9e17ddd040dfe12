// Makes foreign text safe to print, splits it, and reads numbers.
#include "base/text.hpp"

#include <algorithm>
#include <cstdint>

#include "base/append_formatted.hpp"
#include "base/load.hpp"

namespace rollcall {

// Checks eight bytes at a time. A carry into the next byte does no harm: only a byte that is itself refused causes one.
bool is_ascii_from(char lowest, std::string_view text) noexcept {
  constexpr std::uint64_t each = 0x0101010101010101;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    const auto bytes = load<std::uint64_t>(at);
    const std::uint64_t refused = (bytes - each * static_cast<unsigned char>(lowest)) | (bytes + each) | bytes;
    if ((refused & each * 0x80) != 0) return false;
  }
  return std::all_of(at, end, [lowest](char c) { return c >= lowest && c <= '~'; });
}

namespace {

// "… (N bytes)" at the end of `text`, as printable() writes it; empty where it does not end so.
std::string_view cut_mark(std::string_view text) noexcept {
  constexpr std::string_view before = "… (";
  constexpr std::string_view after = " bytes)";
  constexpr std::size_t max_digits = 20;
  if (!text.ends_with(after)) return {};
  std::size_t digits = 0;
  const std::size_t end = text.size() - after.size();
  while (digits < max_digits && digits < end && is_digit(text[end - digits - 1])) ++digits;
  if (digits == 0 || !text.substr(0, end - digits).ends_with(before)) return {};
  return text.substr(end - digits - before.size());
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  // Fast path: names are nearly always plain ASCII, and are part of every message.
  if (text.size() <= max_bytes && is_ascii_from(' ', text)) return std::string(text);
  const std::string_view kept_mark = cut_mark(text);
  const std::string_view body = text.substr(0, text.size() - kept_mark.size());
  std::string out;
  out.reserve(std::min(text.size(), max_bytes) + 16);
  std::size_t at = 0;
  while (at < body.size()) {
    const Utf8Char c = decode_utf8(body, at);
    const std::size_t before = out.size();
    if (!c.is_valid || (c.code < 0x80 && is_hidden(c.code))) {
      append_formatted(out, "\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(body[at])));
    } else if (is_hidden(c.code)) {
      append_formatted(out, "\\u{{{:x}}}", static_cast<unsigned>(c.code));
    } else {
      out.append(body, at, c.size);
    }
    if (out.size() > max_bytes) {
      out.resize(before);
      break;
    }
    at += c.size;
  }
  if (at < body.size()) {
    append_formatted(out, "… ({} bytes)", text.size());
  } else {
    out += kept_mark;
  }
  return out;
}

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string Quoted::operator()(std::string_view text, std::size_t max_bytes) const {
  std::string out = printable(text, max_bytes);
  out.insert(out.begin(), '\'');
  out += '\'';
  return out;
}

std::string_view without_byte_order_mark(std::string_view text) noexcept {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::optional<std::int64_t> parse_python_int(std::string_view text) {
  text = trim(text);
  const bool is_negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && text[i - 1] != '_') continue;
    if (!is_digit(text[i])) return std::nullopt;
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) || __builtin_add_overflow(value, std::int64_t{text[i] - '0'}, &value)) {
      return std::nullopt;
    }
  }
  return is_negative ? -value : value;
}

std::string printable_line(std::string_view text) { return printable(text, std::string_view::npos); }

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // positions after the last star, and where its match ends so far
  std::size_t star_text = 0;
  while (true) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
    } else if (p == pattern.size() && t == text.size()) {
      return true;
    } else if (t < text.size() && p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && star_text < text.size()) {
      t = ++star_text;
      p = star;
    } else {
      return false;
    }
  }
}

}  // namespace rollcall
