#include "command/show/trace.hpp"

#include <fmt/format.h>

#include "base/append_formatted.hpp"
#include "base/timestamp.hpp"
#include "json/json_text.hpp"

namespace rollcall::command {
namespace {

std::string_view lane_name(LaneKind kind) {
  switch (kind) {
    case LaneKind::call: return "calls";
    case LaneKind::request: return "requests";
    case LaneKind::token: return "tokens";
    case LaneKind::member: return "members";
  }
  return "?";
}

// Microseconds with nanoseconds as decimals; integers only, so that rounding does not reorder events.
void append_time(std::string& out, std::string_view name, Duration time) {
  const auto ns = std::max<std::int64_t>(time.count(), 0);
  append_formatted(out, ",\"{}\":{}.{:03}", name, ns / 1000, ns % 1000);
}

}  // namespace

std::string render_trace(const std::vector<RecordedEvent>& events, const TraceEnd& end, std::uint64_t dropped) {
  const Timeline timeline = make_timeline(events, end.at);
  const SteadyTime zero = events.empty() ? end.at : events.front().at;
  const auto started = std::chrono::floor<std::chrono::microseconds>(end.time - (end.at - zero));
  std::string out = "{\"displayTimeUnit\":\"ms\",\"otherData\":{";
  append_formatted(out, "\"started_at\":\"{}\",\"started_at_us\":\"{}\"", format_rfc3339(started), started.time_since_epoch().count());
  append_json_field(out, "host", end.host);
  if (dropped > 0) append_formatted(out, ",\"dropped_events\":\"{}\"", dropped);
  out += "},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":";
  append_json_string(out, end.host.empty() ? "rollcall" : "rollcall on " + end.host);
  out += "}}";
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const Lane& lane = timeline.lanes[i];
    append_formatted(out, ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":", i + 1);
    append_json_string(out, lane.name.empty() ? fmt::format("{} {}", lane_name(lane.kind), lane.number) : lane.name);
    out += "}}";
    append_formatted(out, ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}", i + 1,
                     static_cast<int>(lane.kind) * 100000 + lane.number);
  }
  for (const Span& span : timeline.spans) {
    out += ",\n{\"ph\":\"X\"";
    append_json_field(out, "name", span.name);
    append_formatted(out, ",\"cat\":\"{}\",\"pid\":1,\"tid\":{}", span.category, span.lane + 1);
    append_time(out, "ts", span.start - zero);
    append_time(out, "dur", span.end - span.start);
    out += ",\"args\":{";
    for (std::size_t i = 0; i < span.arguments.size(); ++i) {
      append_formatted(out, "{}\"{}\":{}", i == 0 ? "" : ",", span.arguments[i].first, span.arguments[i].second);
    }
    out += "}}";
  }
  return out + "\n]}\n";
}

}  // namespace rollcall::command
