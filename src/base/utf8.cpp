// Strict UTF-8 (RFC 3629), and invisible characters.
#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace rollcall {
namespace {

struct Range {
  char32_t first, last;
};

// Characters that are invisible, change the direction of others, or break the line (Unicode 15: Cc, Cf, Zl, Zp, fillers, noncharacters at
// the end of the basic plane).
constexpr Range hidden[] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

}  // namespace

Utf8Char decode_utf8(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xC2 && lead <= 0xDF ? 2 : (lead & 0xF0) == 0xE0 ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
  const Utf8Char invalid{lead, 1, false};
  if (size == 0 || text.size() - at < size) return invalid;
  char32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return invalid;
    code = (code << 6) | (byte(at + i) & 0x3FU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return invalid;
  return {code, size, true};
}

bool is_hidden(char32_t code) noexcept {
  return std::any_of(std::begin(hidden), std::end(hidden), [code](Range r) { return code >= r.first && code <= r.last; });
}

bool is_valid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (!c.is_valid) return false;
    at += c.size;
  }
  return true;
}

}  // namespace rollcall
