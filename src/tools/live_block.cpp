#include "tools/live_block.hpp"

#include <fmt/format.h>

#include "tools/console.hpp"

namespace rollcall::tools {
namespace {

// To the first of the lines that are shown, and everything below taken away.
std::string back_over(std::size_t lines) { return lines == 0 ? std::string() : fmt::format("\x1b[{}A\r\x1b[J", lines); }

}  // namespace

void LiveBlock::show(const std::vector<std::string>& lines) {
  std::string text = back_over(shown_);
  for (const std::string& line : lines) text += line + "\n";
  report(text);
  shown_ = lines.size();
}

void LiveBlock::erase() {
  if (shown_ > 0) report(back_over(shown_));
  shown_ = 0;
}

}  // namespace rollcall::tools
