#include "command/show/command_sink.hpp"

#include <iterator>

#include "base/text.hpp"
#include "command/show/event_text.hpp"
#include "command/terminal/console.hpp"

namespace rollcall::tools {

void CommandSink::on_event(const Event& event) noexcept {
  if (records) record(event);
  if (progress) progress->take(event);
  if (event.kind == EventKind::token_refresh_started && before_line) before_line();  // a program may ask the user now
  if (!prints_text && !prints_json) {
    if (event.kind == EventKind::omitted) tell_once(left_out_text(event));
    if (event.kind == EventKind::security_warning) tell_once("warning: " + printable(event.subject, 512));
    return;
  }
  const std::string line = prints_json ? event_json(event, started_) : event_text(event, started_, max_attempts);
  if (line.empty()) return;
  if (before_line) before_line();
  report_line(line);
}

// The last ones: a watch may go on for months.
void CommandSink::record(const Event& event) {
  if (event.kind == EventKind::member_waiting || event.kind == EventKind::member_ready) return;  // of which a trace shows nothing
  if (events_.size() == most_recorded) {
    events_.pop_front();
    ++dropped_;
  }
  events_.emplace_back(event);
}

std::vector<RecordedEvent> CommandSink::take_events() {
  std::vector<RecordedEvent> events(std::make_move_iterator(events_.begin()), std::make_move_iterator(events_.end()));
  events_.clear();
  return events;
}

void CommandSink::tell_once(const std::string& line) {
  constexpr std::size_t most_told = 1000;
  if (told_.size() >= most_told || !told_.insert(line).second) return;
  if (before_line) before_line();
  complain(line);
}

}  // namespace rollcall::tools
