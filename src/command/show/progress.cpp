#include "command/show/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"

namespace rollcall::command {

void Progress::take(const Event& event) {
  switch (event.kind) {
    case EventKind::attempt_started: ++in_flight_; break;
    case EventKind::attempt_finished:
      if (in_flight_ > 0) --in_flight_;
      break;
    case EventKind::backing_off:
      resume_at_ = event.at + event.delay;
      trouble_ = event.status > 0 ? fmt::format("HTTP {}", event.status)
                                  : std::string(event.failure ? to_string(event.failure->code()) : "no answer");
      break;
    case EventKind::token_refresh_started: ++refreshing_; break;
    case EventKind::token_refresh_finished:
      if (refreshing_ > 0) --refreshing_;
      break;
    case EventKind::member_resolved: ++resolved_; break;
    case EventKind::member_failed: ++failed_; break;
    default: break;
  }
}

std::string Progress::line(SteadyTime now, std::size_t width) const {
  std::string text;
  if (targets_ > 1) text = fmt::format("{}/{} resolved", resolved_, targets_);
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (resume_at_ > now && in_flight_ == 0) {
    add(fmt::format("retrying in {} ({})", duration_text(resume_at_ - now), trouble_));
  } else if (in_flight_ > 1) {
    add(fmt::format("waiting for {} answers", in_flight_));
  } else {
    add("waiting for an answer");
  }
  if (now - started_ >= std::chrono::seconds(1)) text += fmt::format(", {:.0f} s", std::chrono::duration<double>(now - started_).count());
  return text.size() > width ? text.substr(0, width) : text;
}

void ProgressLine::show_in(std::chrono::milliseconds delay) {
  timer_.expires_after(delay);
  timer_.async_wait([this](const std::error_code& error) {
    if (error || is_stopped_) return;
    const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
    if (!progress_.may_be_asking()) {
      redraw_line(progress_.line(std::chrono::steady_clock::now(), width > 1 ? width - 1 : 1));
      is_shown_ = true;
    }
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

}  // namespace rollcall::command
