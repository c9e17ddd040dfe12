#include "json/json_tokens.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

void append_text(std::string* out, const char* text, std::size_t size, std::size_t max) {
  if (out && out->size() < max) out->append(text, std::min(size, max - out->size()));
}

void append_code_point(std::string* out, std::uint32_t code, std::size_t max) {
  char bytes[4];
  std::size_t size = 1;
  if (code < 0x80) {
    bytes[0] = static_cast<char>(code);
  } else {
    size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (std::size_t i = size - 1; i > 0; --i, code >>= 6) bytes[i] = static_cast<char>(0x80 | (code & 0x3f));
    bytes[0] = static_cast<char>((size == 2 ? 0xc0 : size == 3 ? 0xe0 : 0xf0) | code);
  }
  append_text(out, bytes, size, max);
}

char simple_escape(char c) noexcept {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

}  // namespace

JsonStringScan::Progress JsonStringScan::run(const char*& at, const char* end, std::string* out, std::size_t max) {
  while (at != end) {
    if (state_ != State::plain) {
      if (!take(*at, out, max)) return Progress::bad;
      ++at;
      continue;
    }
    const char* const special = find_special_in_text(at, end);
    append_text(out, at, static_cast<std::size_t>(special - at), max);
    at = special;
    if (at == end) break;
    if (*at == '"') {
      ++at;
      return Progress::closed;
    }
    if (*at == '\\') {
      state_ = State::escape;
    } else if (begin_utf8(static_cast<unsigned char>(*at))) {
      append_text(out, at, 1, max);
    } else {
      return Progress::bad;
    }
    ++at;
  }
  return Progress::more;
}

// Inside an escape or a character of several bytes.
bool JsonStringScan::take(char c, std::string* out, std::size_t max) {
  switch (state_) {
    case State::escape:
      if (c == 'u') {
        state_ = State::hex;
        left_ = 4;
        unit_ = 0;
        high_ = 0;
        return true;
      }
      state_ = State::plain;
      if (const char meant = simple_escape(c)) {
        append_text(out, &meant, 1, max);
        return true;
      }
      return false;
    case State::hex: return take_hex(c, out, max);
    case State::low_backslash: state_ = State::low_u; return c == '\\';
    case State::low_u:
      state_ = State::hex;
      left_ = 4;
      unit_ = 0;
      return c == 'u';
    case State::utf8: {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < lowest_ || byte > highest_) return false;
      lowest_ = 0x80;
      highest_ = 0xbf;
      append_text(out, &c, 1, max);
      if (--left_ == 0) state_ = State::plain;
      return true;
    }
    case State::plain: break;
  }
  return false;
}

bool JsonStringScan::take_hex(char c, std::string* out, std::size_t max) {
  const int digit = hex_value(c);
  if (digit < 0) return false;
  unit_ = unit_ << 4 | static_cast<std::uint32_t>(digit);
  if (--left_ > 0) return true;
  const bool is_high = unit_ >= 0xd800 && unit_ < 0xdc00;
  const bool is_low = unit_ >= 0xdc00 && unit_ < 0xe000;
  if (is_low != (high_ != 0)) return false;
  if (is_high) {
    high_ = unit_;
    state_ = State::low_backslash;
    return true;
  }
  append_code_point(out, is_low ? 0x10000 + ((high_ - 0xd800) << 10) + (unit_ - 0xdc00) : unit_, max);
  high_ = 0;
  state_ = State::plain;
  return true;
}

// RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool JsonStringScan::begin_utf8(unsigned char lead) noexcept {
  if (lead < 0xc2 || lead > 0xf4) return false;
  state_ = State::utf8;
  left_ = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  lowest_ = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  highest_ = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  return true;
}

}  // namespace rollcall
