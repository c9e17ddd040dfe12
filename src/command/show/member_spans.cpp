#include "command/show/member_spans.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "json/json_text.hpp"

namespace rollcall::command {
namespace {

std::string places_name(const std::string& job, int first, int last) {
  return first == last ? fmt::format("{} {}", job, first) : fmt::format("{} {}-{}", job, first, last);
}

}  // namespace

std::string quoted_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void MemberSpans::take(const RecordedEvent& event) {
  if (event.job.empty()) return;
  end_those_between(event.job, event.first, event.last, event.at);
  if (event.kind != EventKind::member_waiting) return;
  Waiting& waiting = waiting_[event.job][event.first];
  waiting.last = event.last;
  waiting.since = event.at;
  waiting.label = event.subject;
  waiting.why = event.text;
}

// The remaining parts of a run stay open, as new members, from now on.
void MemberSpans::end_those_between(const std::string& job, int first, int last, SteadyTime at) {
  Places& places = waiting_[job];
  auto one = places.upper_bound(first);
  if (one != places.begin() && std::prev(one)->second.last >= first) --one;
  while (one != places.end() && one->first <= last) {
    const int start = one->first;
    Waiting ended = std::move(one->second);
    one = places.erase(one);
    add_span(job, start, ended, at, true);
    ended.since = at;
    Waiting behind = ended;
    const auto keep = [&places, &job](int from, int to, Waiting part) {
      part.last = to;
      part.label = places_name(job, from, to);
      places.insert_or_assign(from, std::move(part));
    };
    if (start < first) keep(start, first - 1, std::move(ended));
    if (behind.last > last) return keep(last + 1, behind.last, std::move(behind));
  }
}

int MemberSpans::lane_of(const std::string& job, int first, int last) {
  std::string name = places_name(job, first, last);
  const auto [lane, is_new] = lanes_.try_emplace(name, static_cast<int>(names_.size()));
  if (is_new) {
    Lane& made = names_.emplace_back();
    made.kind = LaneKind::member;
    made.number = lane->second + 1;
    made.name = std::move(name);
  }
  return lane->second;
}

void MemberSpans::add_span(const std::string& job, int first, const Waiting& waiting, SteadyTime end, bool is_finished) {
  Span& span = spans_.emplace_back();
  span.lane = lane_of(job, first, waiting.last);
  span.name = fmt::format("{}: {}", places_name(job, first, waiting.last), waiting.why);
  span.category = "member";
  span.start = waiting.since;
  span.end = end;
  span.arguments.emplace_back("member", quoted_json(waiting.label));
  span.arguments.emplace_back("why", quoted_json(waiting.why));
  if (!is_finished) span.arguments.emplace_back("unfinished", "true");
}

void MemberSpans::add_to(Timeline& timeline, SteadyTime last) && {
  for (const auto& [job, places] : waiting_) {
    for (const auto& [first, waiting] : places) add_span(job, first, waiting, last, false);
  }
  const auto before = static_cast<int>(timeline.lanes.size());
  for (Span& span : spans_) {
    span.lane += before;
    span.order = timeline.spans.size();
    timeline.spans.push_back(std::move(span));
  }
  std::move(names_.begin(), names_.end(), std::back_inserter(timeline.lanes));
}

}  // namespace rollcall::command
