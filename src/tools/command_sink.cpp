#include "tools/command_sink.hpp"

#include "tools/console.hpp"
#include "tools/event_text.hpp"

namespace rollcall::tools {

void CommandSink::on_event(const Event& event) noexcept {
  if (records) events_.emplace_back(event);
  if (progress) progress->take(event);
  if (!prints_text && !prints_json) {
    if (event.kind == EventKind::left_out) tell_left_out(event);
    return;
  }
  std::string line = prints_json ? event_json(event, started_) : event_text(event, started_, max_attempts);
  if (line.empty()) return;
  if (before_line) before_line();
  report(line += '\n');
}

void CommandSink::tell_left_out(const Event& event) {
  std::string line = left_out_text(event);
  if (!told_.insert(line).second) return;
  if (before_line) before_line();
  complain(line);
}

}  // namespace rollcall::tools
