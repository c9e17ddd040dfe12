#include "command/terminal/styled_line.hpp"

#include "command/terminal/columns.hpp"
#include "command/terminal/safe_text.hpp"

namespace rollcall::command {

std::string StyledLine::text(std::size_t width, bool with_colour) const {
  std::size_t all = 0;
  for (const auto& [text, style] : parts_) all += columns_of(text);
  std::string out;
  for (const auto& [text, style] : parts_) {
    const std::size_t columns = columns_of(text);
    const bool is_cut = all > width && columns >= width;  // here, or right after it: the ellipsis needs a column
    const std::string shown = is_cut ? cut_line(columns == width ? text + " " : text, width) : text;
    const bool is_styled = with_colour && !style.empty() && !shown.empty();
    if (is_styled) out += style;
    out += shown;
    if (is_styled) out += plain_style;
    if (is_cut) break;
    width -= columns;
    all -= columns;
  }
  return out;
}

}  // namespace rollcall::command
