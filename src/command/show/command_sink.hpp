// The receiver of a command's events: lines on standard error, a recording for the trace, the progress line. Warnings and missing parts of
// an answer are always reported.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "command/show/progress.hpp"
#include "command/show/trace.hpp"
#include "rollcall/log.hpp"

namespace rollcall::command {

/// The line that --verbose prints, without a line end; empty for events that are not worth a line. `started`: time zero of the first
/// column. `max_attempts`: the maximum of requests for one question. `is_reported`: the failure was reported before, and is not repeated.
std::string event_text(const Event& event, SteadyTime started, int max_attempts, bool is_reported = false);

/// The text for an event `omitted` without --verbose: `gce:workers: instance group 'workers': the list is incomplete …`.
std::string left_out_text(const Event& event);

class CommandSink final : public LogSink {
 public:
  explicit CommandSink(SteadyTime started) : started_(started) {}

  bool prints_text = false;
  bool prints_json = false;
  bool records = false;
  int max_attempts = 1;
  Progress* progress = nullptr;           ///< not owned
  std::function<void()> before_line;      ///< called before a line is printed, to remove the progress

  void on_event(const Event& event) noexcept override;
  bool wants_requests() const noexcept override { return records || prints_text || prints_json || progress; }
  /// The recording: the last 250,000 events; dropped() is the number of events before them.
  std::vector<RecordedEvent> take_events();
  std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  static constexpr std::size_t max_recorded = 250'000;
  void record(const Event& event);
  void report_once(const std::string& line);
  /// True if the event's failure is the one that was reported last, perhaps with a subject in front; stores it as the last.
  bool is_reported(const Event& event);

  SteadyTime started_;
  std::deque<RecordedEvent> events_;
  std::uint64_t dropped_ = 0;
  std::string last_failure_;
  std::set<std::string> reported_;  // omissions and warnings that were reported: a wait asks again and again
};

}  // namespace rollcall::command
