// The timeline of a run: recorded events, spans on lanes, and both in Chrome's trace event format, as chrome://tracing and ui.perfetto.dev
// read it; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/log.hpp"

namespace rollcall::command {

/// A copy of an event that outlives the call.
class RecordedEvent {
 public:
  RecordedEvent() {}
  explicit RecordedEvent(const Event& e)
      : kind(e.kind), at(e.at), call(e.call), exchange(e.exchange), attempt(e.attempt), status(e.status), phase(e.phase), delay(e.delay),
        is_server_delay(e.is_server_delay), subject(e.subject), text(e.text), job(e.members.job), first(e.members.first),
        last(e.members.last) {
    if (e.failure) failure = *e.failure;
  }

  EventKind kind = EventKind::call_started;
  SteadyTime at{};
  std::uint64_t call = 0;
  std::uint64_t exchange = 0;
  int attempt = 0;
  int status = 0;
  Phase phase = Phase::none;
  Duration delay{0};
  bool is_server_delay = false;
  std::string subject;
  std::string text;
  std::string job;  ///< of member_waiting and member_ready, with the next two: the members
  int first = 0;
  int last = 0;
  std::optional<Failure> failure;
};

enum class LaneKind { call, request, token, member };

/// A period of time. Arguments are JSON values, ready to print.
struct Span {
  std::string name;
  std::string_view category;
  SteadyTime start{};
  SteadyTime end{};
  int lane = 0;
  std::size_t order = 0;  ///< position among all spans by start
  std::vector<std::pair<std::string_view, std::string>> arguments;
};

struct Lane {
  LaneKind kind = LaneKind::call;
  int number = 0;    ///< within its kind, from 1
  std::string name;  ///< of a member: `worker 3`
};

struct Timeline {
  std::vector<Lane> lanes;
  std::vector<Span> spans;  ///< of one lane: by start, outer ones first
};

/// The host and time at which the recording ended: aligns a trace with those of other hosts.
class TraceEnd {
 public:
  TraceEnd() {}
  TraceEnd(SteadyTime when, WallTime by_the_clock, std::string on_host) : at(when), time(by_the_clock), host(std::move(on_host)) {}
  SteadyTime at{};
  WallTime time{};
  std::string host;
};

Timeline make_timeline(const std::vector<RecordedEvent>& events, SteadyTime end);

/// `events` in order of time. Every call, request, phase, wait and token refresh becomes a complete event ("ph":"X", times in microseconds
/// from the first event), and so does each period for which a member was missing, by its reason. `otherData` has the time of the first
/// event and the host. Overlapping spans have lanes of their own (tid), so that the events of one lane always nest; a span without an end
/// ends at `end`. `dropped`: the number of events before them, which is written to the trace.
std::string render_trace(const std::vector<RecordedEvent>& events, const TraceEnd& end, std::uint64_t dropped = 0);

}  // namespace rollcall::command
