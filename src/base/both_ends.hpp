// Long texts of which both ends count, such as a message that begins with what was tried and ends with why it failed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace rollcall {

/// `text` as printable() shows it. Of more than `max_bytes` bytes (at least 16) the middle is left out: "what was tried … why it failed".
inline std::string both_ends(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view gap = " … ";
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };  // of a character
  std::string shown = printable_line(text);
  if (shown.size() <= max_bytes) return shown;
  const std::size_t kept = max_bytes - gap.size();
  std::size_t begin = kept / 2;
  while (begin > 0 && is_inside(shown[begin])) --begin;
  std::size_t end = shown.size() - (kept - kept / 2);
  while (end < shown.size() && is_inside(shown[end])) ++end;
  return shown.replace(begin, end - begin, gap);
}

}  // namespace rollcall
