#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "base/wiped_buffer.hpp"

namespace rollcall {
namespace {

int sextet_of(char c) noexcept {
  if (is_upper(c)) return c - 'A';
  if (is_lower(c)) return c - 'a' + 26;
  if (is_digit(c)) return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string encode(std::string_view bytes, std::string_view alphabet, bool is_padded) {
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k <= count; ++k) text.push_back(alphabet[bits >> (18 - 6 * k) & 63]);
    if (is_padded) text.append(3 - count, '=');
  }
  return text;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true);
}

std::string base64url_encode(std::string_view bytes) {
  return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false);
}

Secret<std::string> basic_credentials(std::string_view user, std::string_view password) {
  return Secret<std::string>(base64_encode(joined_secret({user, ":", password}).reveal()));
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int sextets = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    const int value = sextet_of(c);
    if (c == '=') {
      ++padding;
    } else if (value < 0 || padding > 0) {
      return std::nullopt;
    }
    bits = bits << 6 | static_cast<std::uint32_t>(c == '=' ? 0 : value);
    if (++sextets < 4) continue;
    if (padding > 2) return std::nullopt;
    for (int i = 0; i < 3 - padding; ++i) bytes.push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xff));
    if (padding > 0) ++padding;  // nothing may follow
    sextets = 0;
    bits = 0;
  }
  if (sextets != 0) return std::nullopt;
  return bytes;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = c == '-' ? 62 : c == '_' ? 63 : c == '+' || c == '/' ? -1 : sextet_of(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  const bool is_whole = count < 6 && (bits & ((1u << count) - 1)) == 0;
  if (!is_whole) return std::nullopt;
  return bytes;
}

}  // namespace rollcall
