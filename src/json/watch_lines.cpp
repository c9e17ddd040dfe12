#include "json/watch_lines.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall {

Result<void> WatchLines::feed(std::string_view piece, const Consumer& consumer) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (rest_.size() + part.size() > max_line_) {
      return Failure(Errc::limit_exceeded, fmt::format("the watch sent a line of more than {} bytes", max_line_));
    }
    if (end == std::string_view::npos) {
      rest_.append(part);
      return {};
    }
    std::string_view line = part;
    if (!rest_.empty()) {
      rest_.append(part);
      line = rest_;
    }
    if (!trim(line).empty()) {
      if (const Result<void> taken = consumer(line); !taken) return taken;
    }
    rest_.clear();
    piece.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace rollcall
