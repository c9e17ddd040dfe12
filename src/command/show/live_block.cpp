#include "command/show/live_block.hpp"

#include "command/terminal/console.hpp"

namespace rollcall::tools {

void LiveBlock::show(const std::vector<std::string>& lines) {
  redraw_lines(shown_, lines);
  shown_ = lines.size();
}

void LiveBlock::erase() {
  redraw_lines(shown_, {});
  shown_ = 0;
}

}  // namespace rollcall::tools
