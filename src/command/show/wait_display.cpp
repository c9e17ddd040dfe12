#include "command/show/wait_display.hpp"

#include <unistd.h>

#include "command/terminal/console.hpp"
#include "render/render_status.hpp"

namespace rollcall::tools {

WaitDisplay::WaitDisplay(const asio::any_io_executor& executor, std::optional<ProgressForm> form)
    : form_(form.value_or(is_terminal(STDERR_FILENO) ? ProgressForm::table : ProgressForm::lines)), timer_(executor) {}

void WaitDisplay::take(const WaitProgress& progress) {
  switch (form_) {
    case ProgressForm::none: return;
    case ProgressForm::lines: report_line(progress.line()); return;
    case ProgressForm::json: report_line(render_progress_json(progress)); return;
    case ProgressForm::table: break;
  }
  progress_ = ShownProgress(progress);
  if (!is_ticking_) draw_again();
}

void WaitDisplay::draw() {
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  const auto height = static_cast<std::size_t>(terminal_height(STDERR_FILENO));
  block_.show(wait_table(progress_, std::chrono::steady_clock::now(), width > 1 ? width - 1 : 1, height > 3 ? height - 2 : 1));
}

// The first time a moment later, so that a quick answer does not flicker.
void WaitDisplay::draw_again() {
  is_ticking_ = true;
  timer_.expires_after(std::chrono::milliseconds(250));
  timer_.async_wait([this](const std::error_code& error) {
    if (error || !is_ticking_) return;
    draw();
    draw_again();
  });
}

void WaitDisplay::stop() {
  is_ticking_ = false;
  timer_.cancel();
  block_.erase();
}

void LiveBlock::show(const std::vector<std::string>& lines) {
  redraw_lines(shown_, lines);
  shown_ = lines.size();
}

void LiveBlock::erase() {
  redraw_lines(shown_, {});
  shown_ = 0;
}

}  // namespace rollcall::tools
