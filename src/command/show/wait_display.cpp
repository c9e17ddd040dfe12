#include "command/show/wait_display.hpp"

#include <unistd.h>

#include "command/terminal/console.hpp"
#include "render/render_status.hpp"

namespace rollcall::command {

WaitDisplay::WaitDisplay(const asio::any_io_executor& executor, std::optional<ProgressForm> form, WaitSubject subject)
    : form_(form.value_or(is_redrawable(STDERR_FILENO) ? ProgressForm::table : ProgressForm::lines)), subject_(std::move(subject)),
      timer_(executor) {}

void WaitDisplay::take(const WaitProgress& progress) {
  switch (form_) {
    case ProgressForm::none: return;
    case ProgressForm::lines: report_line(progress.line()); return;
    case ProgressForm::json: report_json(render_progress_json(progress)); return;
    case ProgressForm::table: break;
  }
  progress_ = ShownProgress(progress);
  if (!is_ticking_) draw_again();
}

void WaitDisplay::draw() {
  is_drawn_ = true;
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  const auto height = static_cast<std::size_t>(terminal_height(STDERR_FILENO));
  block_.show(wait_table(subject_, progress_, std::chrono::steady_clock::now(), width > 1 ? width - 1 : 1, height > 3 ? height - 2 : 1,
                         wants_colour(STDERR_FILENO)));
}

// The first update comes a moment later, so that a quick answer does not flicker.
void WaitDisplay::draw_again() {
  is_ticking_ = true;
  timer_.expires_after(std::chrono::milliseconds(250));
  timer_.async_wait([this](const std::error_code& error) {
    if (error || !is_ticking_) return;
    draw();
    draw_again();
  });
}

// Does not begin to show anything now.
void WaitDisplay::leave() {
  is_ticking_ = false;
  timer_.cancel();
  if (!is_drawn_) return;
  draw();
  block_.leave();
}

void WaitDisplay::stop() {
  is_ticking_ = false;
  is_drawn_ = false;
  timer_.cancel();
  block_.erase();
  if (form_ == ProgressForm::table && progress_.has_listed) report_line(progress_.counts);  // no service was asked: the user must see that
}

void LiveBlock::show(const std::vector<std::string>& lines) {
  redraw_lines(shown_, lines);
  shown_ = lines.size();
}

void LiveBlock::erase() {
  redraw_lines(shown_, {});
  shown_ = 0;
}

}  // namespace rollcall::command
