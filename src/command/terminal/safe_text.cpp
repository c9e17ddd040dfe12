#include "command/terminal/safe_text.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace rollcall::command {
namespace {

constexpr std::array styles = {bold_style, dim_style, error_style, ready_style, waiting_style, plain_style};

// The length of the allowed text at the front, or 0.
std::size_t allowed_length(std::string_view text, bool with_style) noexcept {
  if (text.front() == '\n') return 1;
  if (!with_style || text.front() != '\x1b') return 0;
  for (const std::string_view style : styles) {
    if (text.starts_with(style)) return style.size();
  }
  return 0;
}

}  // namespace

bool is_plain_text(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
}

std::string safe_text(std::string_view text, bool with_style) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    if (const std::size_t length = allowed_length(text, with_style); length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of("\n\x1b", 1), text.size());
    out += printable_line(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace rollcall::command
