#include "command/terminal/columns.hpp"

#include <algorithm>
#include <numeric>

namespace rollcall::command {
namespace {

// The width of the character that begins with `c`; 0 inside of a character. Most characters that begin so are wide: CJK, Hangul, full-width
// forms, pictographs.
std::size_t width_of(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xC0) == 0x80) return 0;
  return byte >= 0xE3 || byte == 0xE1 ? 2 : 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  return std::accumulate(text.begin(), text.end(), std::size_t{0}, [](std::size_t sum, char c) { return sum + width_of(c); });
}

std::string cut_line(std::string_view text, std::size_t width) {
  if (columns_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    columns += width_of(text[end]);
    if (columns >= width) break;  // the ellipsis needs a column
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string in_column(std::string_view text, std::size_t width) {
  std::string out = cut_line(text, width);
  out.append(width - std::min(width, columns_of(out)), ' ');
  return out;
}

}  // namespace rollcall::command
