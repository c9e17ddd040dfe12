#include "command/show/command_sink.hpp"

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"
#include "render/render_event.hpp"

namespace rollcall::command {
namespace {

std::string outcome(const Event& event) {
  if (event.failure) {
    std::string text = printable(event.failure->what(), 1024);
    if (text.ends_with('.')) text.pop_back();  // the sentence continues
    return text;
  }
  return fmt::format("HTTP {}", event.status);
}

std::string attempt_of(const Event& event, int max_attempts) {
  return event.attempt > 0 ? fmt::format("attempt {} of {}", event.attempt, max_attempts) : std::string("attempt");
}

std::string body(const Event& event, int max_attempts, bool is_reported) {
  const std::string subject = printable(event.subject, 512);
  switch (event.kind) {
    case EventKind::call_started: return subject + ": started";
    case EventKind::call_finished:
      if (!event.failure) return subject + ": done";
      return subject + (is_reported ? std::string(": failed") : ": failed: " + printable(event.failure->what(), 1024));
    case EventKind::attempt_started: return fmt::format("{}: {}", attempt_of(event, max_attempts), subject);
    case EventKind::attempt_finished: return fmt::format("{}: {}", attempt_of(event, max_attempts), outcome(event));
    case EventKind::connection_reused: return fmt::format("an open connection to {} is used again", subject);
    case EventKind::proxy_chosen: return fmt::format("by way of the proxy {}", subject);
    case EventKind::backing_off:
      return fmt::format("{}: {}waiting {}{}", attempt_of(event, max_attempts), is_reported ? std::string() : outcome(event) + ", ",
                         duration_text(event.delay), event.is_server_delay ? " (Retry-After)" : "");
    case EventKind::waiting_for_slot: return fmt::format("waiting for a turn: enough requests are in flight to {}", subject);
    case EventKind::token_refresh_started: return fmt::format("asking {} for an access token", subject);
    case EventKind::token_refresh_finished:
      return event.failure ? fmt::format("no access token from {}: {}", subject, printable(event.failure->what(), 1024))
                           : fmt::format("{} gave an access token", subject);
    case EventKind::place_chosen: return "chosen: " + subject;
    case EventKind::value_disputed: return "this does not fit: " + subject;
    case EventKind::security_warning: return "warning: " + subject;
    case EventKind::member_resolved: return subject + ": resolved";
    case EventKind::omitted: return left_out_text(event);
    case EventKind::member_failed:
      return fmt::format("{}: {}", subject, event.failure && !is_reported ? printable(event.failure->what(), 1024) : "failed");
    case EventKind::member_waiting: return fmt::format("{}: {}", subject, printable(event.text, 1024));
    case EventKind::member_ready: return subject + ": ready";
    case EventKind::server_chosen: return "using the server " + subject;
    case EventKind::server_left:
      return fmt::format("the server {} is left{}", subject, event.failure ? ": " + printable(event.failure->what(), 1024) : std::string());
    case EventKind::phase_started:
    case EventKind::phase_finished: break;  // the trace has these events
  }
  return {};
}

}  // namespace

std::string left_out_text(const Event& event) {
  return fmt::format("left out of {}: {}", printable(event.subject, 512), event.failure ? outcome(event) : "unknown");
}

std::string event_text(const Event& event, SteadyTime started, int max_attempts, bool is_reported) {
  std::string text = body(event, max_attempts, is_reported);
  if (text.empty()) return text;
  const double seconds = std::chrono::duration<double>(event.at - started).count();
  std::string column = event.call > 0 ? fmt::format("#{}", event.call) : std::string();
  if (event.exchange > 0) column += fmt::format(".{}", event.exchange);
  return fmt::format("{:9.4f}  {:<6} {}", seconds, column, text);
}

void CommandSink::on_event(const Event& event) noexcept {
  if (records) record(event);
  if (progress) progress->take(event);
  if (event.kind == EventKind::token_refresh_started && before_line) before_line();  // a program may ask the user now
  if (!prints_text && !prints_json) {
    if (event.kind == EventKind::omitted) report_once(left_out_text(event));
    if (event.kind == EventKind::value_disputed) report_once("this does not fit: " + printable(event.subject, 512));
    if (event.kind == EventKind::security_warning) report_once("warning: " + printable(event.subject, 512));
    return;
  }
  const std::string line = prints_json ? render_event_json(event, started_) : event_text(event, started_, max_attempts, is_reported(event));
  if (line.empty()) return;
  if (before_line) before_line();
  if (prints_json) return report_json(line);
  report_line(line);
}

// Always reports the end of an attempt: the next one may fail in the same way.
bool CommandSink::is_reported(const Event& event) {
  if (!event.failure) return false;
  const std::string& what = event.failure->what();
  const bool is_same = !last_failure_.empty() && what.ends_with(last_failure_);
  if (!is_same) last_failure_ = what;
  return is_same && event.kind != EventKind::attempt_finished;
}

// Keeps the last ones: a watch may run for months.
void CommandSink::record(const Event& event) {
  if (events_.size() == max_recorded) {
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

void CommandSink::report_once(const std::string& line) {
  constexpr std::size_t max_reported = 1000;
  if (reported_.size() >= max_reported || !reported_.insert(line).second) return;
  if (before_line) before_line();
  complain(line);
}

}  // namespace rollcall::command
