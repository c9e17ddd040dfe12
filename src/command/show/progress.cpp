#include "command/show/progress.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "command/arguments/duration.hpp"

namespace rollcall::tools {

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

}  // namespace rollcall::tools
