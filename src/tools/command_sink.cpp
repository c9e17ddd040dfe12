#include "tools/command_sink.hpp"

#include "tools/console.hpp"
#include "tools/event_text.hpp"

namespace rollcall::tools {

void CommandSink::on_event(const Event& event) noexcept {
  if (records) events_.emplace_back(event);
  if (progress) progress->take(event);
  if (!prints_text && !prints_json) return;
  std::string line = prints_json ? event_json(event, started_) : event_text(event, started_, max_attempts);
  if (line.empty()) return;
  if (before_line) before_line();
  report(line += '\n');
}

}  // namespace rollcall::tools
