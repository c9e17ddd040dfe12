// The timeline, from recorded events.
#include "command/show/trace.hpp"

#include <boost/json.hpp>
#include <map>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

namespace {

class Script {
 public:
  std::vector<RecordedEvent> events;

  RecordedEvent& add(Duration at, EventKind kind, std::uint64_t call, std::uint64_t exchange = 0, int attempt = 0,
                     std::string subject = {}) {
    RecordedEvent e;
    e.at = SteadyTime(1000s + at);
    e.kind = kind;
    e.call = call;
    e.exchange = exchange;
    e.attempt = attempt;
    e.subject = std::move(subject);
    events.push_back(std::move(e));
    return events.back();
  }
  Timeline timeline(Duration end) const { return make_timeline(events, SteadyTime(1000s + end)); }
};

const Span& find(const Timeline& timeline, std::string_view name, int nth = 0) {
  for (const Span& span : timeline.spans) {
    if (span.name == name && nth-- == 0) return span;
  }
  FAIL("no span " << name);
  throw 0;
}

Duration from(const Span& span) { return span.start - SteadyTime(1000s); }
Duration to(const Span& span) { return span.end - SteadyTime(1000s); }

std::string argument(const Span& span, std::string_view name) {
  for (const auto& [key, value] : span.arguments) {
    if (key == name) return value;
  }
  return "-";
}

// Spans of one lane may contain each other, but not overlap otherwise.
void check_nesting(const Timeline& timeline) {
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    for (std::size_t j = i + 1; j < timeline.spans.size(); ++j) {
      const Span& a = timeline.spans[i];
      const Span& b = timeline.spans[j];
      CHECK(a.end >= a.start);
      if (a.lane != b.lane) continue;
      const bool is_apart = a.end <= b.start || b.end <= a.start;
      const bool is_inside = a.start <= b.start && b.end <= a.end;
      INFO(a.name << " and " << b.name);
      CHECK((is_apart || is_inside));
    }
  }
}

// A call whose first attempt gets 503, waits, and is repeated with success.
Script retried() {
  Script s;
  s.add(0ms, EventKind::call_started, 1, 0, 0, "tpu:a cluster_spec");
  s.add(1ms, EventKind::attempt_started, 1, 1, 1, "GET https://h/a");
  s.add(1ms, EventKind::phase_started, 1, 1, 1).phase = Phase::connect;
  s.add(3ms, EventKind::phase_finished, 1, 1, 1).phase = Phase::connect;
  s.add(3ms, EventKind::phase_started, 1, 1, 1).phase = Phase::response;
  s.add(5ms, EventKind::attempt_finished, 1, 1, 1, "GET https://h/a").status = 503;
  RecordedEvent& pause = s.add(5ms, EventKind::backing_off, 1, 0, 1, "h");
  pause.delay = 100ms;
  pause.is_server_delay = true;
  pause.status = 503;
  pause.failure = Failure(Errc::unavailable, "HTTP 503 \"overloaded\"");
  s.add(105ms, EventKind::attempt_started, 1, 2, 2, "GET https://h/a");
  s.add(105ms, EventKind::connection_reused, 1, 2, 2, "h");
  s.add(110ms, EventKind::attempt_finished, 1, 2, 2, "GET https://h/a").status = 200;
  s.add(111ms, EventKind::call_finished, 1, 0, 0, "tpu:a cluster_spec");
  return s;
}

}  // namespace

TEST_CASE("a retried call: attempts, phases and the wait follow each other on one lane") {
  const Timeline t = retried().timeline(1s);
  check_nesting(t);
  CHECK(t.spans.size() == 6);
  const Span& call = find(t, "tpu:a cluster_spec");
  const Span& first = find(t, "GET https://h/a", 0);
  const Span& second = find(t, "GET https://h/a", 1);
  const Span& pause = find(t, "back off");
  CHECK(from(call) == 0ms);
  CHECK(to(call) == 111ms);
  CHECK(from(find(t, "connect")) == 1ms);
  CHECK(to(find(t, "connect")) == 3ms);
  CHECK(to(find(t, "response")) == 5ms);
  CHECK(from(pause) == 5ms);
  CHECK(to(pause) == 105ms);
  CHECK(argument(pause, "asked_by_server") == "true");
  CHECK(argument(first, "status") == "503");
  CHECK(argument(second, "reused_connection") == "true");
  CHECK(first.lane == second.lane);
  CHECK(pause.lane == first.lane);
  CHECK(call.lane != first.lane);
}

TEST_CASE("calls and requests that overlap lie on lanes of their own, and lanes are used again") {
  Script s;
  for (std::uint64_t i = 1; i <= 3; ++i) s.add(i * 1ms, EventKind::call_started, i, 0, 0, "call");
  for (std::uint64_t i = 1; i <= 3; ++i) s.add(i * 10ms, EventKind::attempt_started, i, i, 1, "GET");
  for (std::uint64_t i = 1; i <= 3; ++i) s.add(i * 10ms + 50ms, EventKind::attempt_finished, i, i, 1).status = 200;
  for (std::uint64_t i = 1; i <= 3; ++i) s.add(i * 1ms + 90ms, EventKind::call_finished, i, 0, 0);
  s.add(200ms, EventKind::call_started, 4, 0, 0, "call");
  s.add(201ms, EventKind::call_finished, 4, 0, 0);
  const Timeline t = s.timeline(1s);
  check_nesting(t);
  CHECK(t.lanes.size() == 6);
  CHECK(find(t, "call", 0).lane == 0);
  CHECK(to(find(t, "call", 1)) == 201ms);  // the fourth lies on the first lane again
}

TEST_CASE("what is cut off by the end of its call ends there; what never ends, at the end of the recording") {
  Script s = retried();
  s.events.resize(7);  // the back-off has started
  s.add(20ms, EventKind::attempt_started, 2, 9, 1, "GET lost");
  s.add(20ms, EventKind::phase_started, 2, 9, 1).phase = Phase::connect;
  s.add(25ms, EventKind::waiting_for_slot, 1, 0, 1, "h");
  s.add(30ms, EventKind::call_finished, 1, 0, 0).failure = Failure(Errc::cancelled, "cancelled");
  const Timeline t = s.timeline(40ms);
  check_nesting(t);
  CHECK(to(find(t, "back off")) == 30ms);
  CHECK(to(find(t, "wait for a turn")) == 30ms);
  CHECK(argument(find(t, "tpu:a cluster_spec"), "code") == "\"cancelled\"");
  CHECK(to(find(t, "GET lost")) == 40ms);
  CHECK(argument(find(t, "GET lost"), "unfinished") == "true");
}

TEST_CASE("a wait for a turn ends with the attempt; a token refresh has a lane of its own") {
  Script s;
  s.add(0ms, EventKind::call_started, 1, 0, 0, "call");
  s.add(1ms, EventKind::token_refresh_started, 1, 0, 0, "metadata");
  s.add(1ms, EventKind::attempt_started, 1, 1, 1, "GET token");
  s.add(2ms, EventKind::attempt_finished, 1, 1, 1).status = 200;
  s.add(3ms, EventKind::token_refresh_finished, 1, 0, 0, "metadata");
  s.add(4ms, EventKind::waiting_for_slot, 1, 0, 1, "h");
  s.add(9ms, EventKind::attempt_started, 1, 2, 1, "GET node");
  s.add(10ms, EventKind::attempt_finished, 1, 2, 1).status = 200;
  s.add(11ms, EventKind::call_finished, 1, 0, 0);
  const Timeline t = s.timeline(1s);
  check_nesting(t);
  CHECK(to(find(t, "wait for a turn")) == 9ms);
  CHECK(find(t, "wait for a turn").lane == find(t, "GET node").lane);
  CHECK(to(find(t, "token refresh")) == 3ms);
  CHECK(t.lanes[static_cast<std::size_t>(find(t, "token refresh").lane)].kind == LaneKind::token);
}

TEST_CASE("the file is JSON of complete events in microseconds") {
  Script s = retried();
  s.events[1].subject = "GET \"\x1b\"";
  s.events[1].at += 1ns;
  const TraceEnd end(SteadyTime(1002s), WallTime(1'800'000'002s), "host-\"3\"");
  const std::string text = render_trace(s.events, end);
  const boost::json::object root = boost::json::parse(text).as_object();
  CHECK(root.at("otherData") == boost::json::parse(R"({"started_at": "2027-01-15T08:00:00Z", "started_at_us": "1800000000000000",
                                                       "host": "host-\"3\""})"));
  std::map<std::string, int> kinds;
  for (const boost::json::value& value : root.at("traceEvents").as_array()) {
    const boost::json::object& event = value.as_object();
    const std::string kind(event.at("ph").as_string());
    ++kinds[kind];
    CHECK(event.at("pid").as_int64() == 1);
    if (kind != "X") continue;
    CHECK(event.at("tid").as_int64() > 0);
    CHECK(event.at("ts").to_number<double>() >= 0);
    CHECK(event.at("dur").to_number<double>() >= 0);
    CHECK(event.at("args").is_object());
  }
  CHECK(kinds["X"] == 6);
  CHECK(kinds["M"] == 5);
  CHECK(text.find("\"ts\":1000.001,") != std::string::npos);
  CHECK(text.find("\"dur\":100000.000") != std::string::npos);
  CHECK(boost::json::parse(render_trace({}, TraceEnd(SteadyTime(1s), WallTime(10s), {}))).is_object());
}

TEST_CASE("a member that is waited for has a lane, and a span for each reason") {
  Script s;
  const auto add = [&s](Duration at, EventKind kind, int first, int last, const char* label) -> RecordedEvent& {
    RecordedEvent& event = s.add(at, kind, 1, 0, 0, label);
    event.job = "worker";
    event.first = first;
    event.last = last;
    return event;
  };
  const auto waiting = [&add](Duration at, int first, int last, const char* label, const char* why) {
    add(at, EventKind::member_waiting, first, last, label).text = why;
  };
  s.add(0ms, EventKind::call_started, 1, 0, 0, "tpu:a wait_until_ready");
  waiting(1ms, 0, 3, "worker 0-3", "not there yet");
  waiting(2ms, 1, 1, "worker 1", "CREATING");
  waiting(4ms, 1, 1, "worker 1 (10.0.0.1:8470)", "connection refused");
  add(6ms, EventKind::member_ready, 1, 1, "worker 1 (10.0.0.1:8470)");
  add(7ms, EventKind::member_ready, 0, 0, "worker 0");
  s.add(8ms, EventKind::member_waiting, 1, 0, 0, "no members are named");
  const Timeline t = s.timeline(10ms);
  check_nesting(t);
  const auto is_of = [&t](const char* name, Duration start, Duration end, const char* lane) {
    const Span& span = find(t, name);
    CAPTURE(name);
    CHECK(from(span) == start);
    CHECK(to(span) == end);
    CHECK(t.lanes[static_cast<std::size_t>(span.lane)].name == lane);
  };
  is_of("worker 0-3: not there yet", 1ms, 2ms, "worker 0-3");
  is_of("worker 1: CREATING", 2ms, 4ms, "worker 1");
  is_of("worker 1: connection refused", 4ms, 6ms, "worker 1");
  is_of("worker 0: not there yet", 2ms, 7ms, "worker 0");
  is_of("worker 2-3: not there yet", 2ms, 10ms, "worker 2-3");
  CHECK(argument(find(t, "worker 1: connection refused"), "member") == "\"worker 1 (10.0.0.1:8470)\"");
  CHECK(argument(find(t, "worker 1: connection refused"), "unfinished") == "-");
  CHECK(argument(find(t, "worker 2-3: not there yet"), "unfinished") == "true");
}
