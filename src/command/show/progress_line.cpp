#include "command/show/progress_line.hpp"

#include <unistd.h>

#include "command/terminal/console.hpp"

namespace rollcall::tools {

void ProgressLine::show_in(std::chrono::milliseconds delay) {
  timer_.expires_after(delay);
  timer_.async_wait([this](const std::error_code& error) {
    if (error || is_stopped_) return;
    const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
    redraw_line(progress_.line(std::chrono::steady_clock::now(), width > 1 ? width - 1 : 1));
    is_shown_ = true;
    show_in(std::chrono::milliseconds(100));
  });
}

void ProgressLine::erase() noexcept {
  if (is_shown_) redraw_line({});
  is_shown_ = false;
}

void ProgressLine::stop() noexcept {
  is_stopped_ = true;
  timer_.cancel();
  erase();
}

}  // namespace rollcall::tools
