// Converts events to spans on lanes.
#include "command/show/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "command/show/member_spans.hpp"

namespace rollcall::command {
namespace {

class Builder {
 public:
  explicit Builder(SteadyTime end) : end_(end) {}

  void take(const RecordedEvent& e) {
    now_ = std::max(now_, e.at);
    switch (e.kind) {
      case EventKind::call_started: calls_[e.call] = open(LaneKind::call, e.subject, "call", e); break;
      case EventKind::call_finished: finish_call(e); break;
      case EventKind::attempt_started: start_attempt(e); break;
      case EventKind::attempt_finished: finish_attempt(e); break;
      case EventKind::phase_started: start_phase(e); break;
      case EventKind::phase_finished: finish_phase(e); break;
      case EventKind::connection_reused:
        if (const auto at = attempts_.find(e.exchange); at != attempts_.end())
          spans()[at->second.span].arguments.emplace_back("reused_connection", "true");
        break;
      case EventKind::backing_off: back_off(e); break;
      case EventKind::waiting_for_slot:
        waits_.emplace(Question{e.call, e.attempt}, open(LaneKind::request, "wait for a turn", "wait", e));
        break;
      case EventKind::token_refresh_started: refreshes_.emplace(e.call, open(LaneKind::token, "token refresh", "token", e)); break;
      case EventKind::token_refresh_finished:
        if (const auto at = refreshes_.find(e.call); at != refreshes_.end()) {
          close(at->second, e);
          refreshes_.erase(at);
        }
        break;
      case EventKind::proxy_chosen:
        if (const auto found = attempts_.find(e.exchange); found != attempts_.end())
          spans()[found->second.span].arguments.emplace_back("proxy", quoted_json(e.subject));
        break;
      case EventKind::member_waiting:
      case EventKind::member_ready: members_.take(e); break;
      case EventKind::place_chosen:
      case EventKind::value_disputed:
      case EventKind::security_warning:
      case EventKind::member_resolved:
      case EventKind::server_chosen:
      case EventKind::server_left:
      case EventKind::omitted:
      case EventKind::member_failed: break;  // an instant, not a span; the call records it
    }
  }

  Timeline finish() {
    const SteadyTime last = std::max(now_, end_);
    for (Span& span : spans()) {
      if (span.end == unknown) {
        span.end = last;
        span.arguments.emplace_back("unfinished", "true");
      }
    }
    std::move(members_).add_to(timeline_, last);
    std::sort(spans().begin(), spans().end(), [](const Span& a, const Span& b) {
      if (a.lane != b.lane) return a.lane < b.lane;
      if (a.start != b.start) return a.start < b.start;
      if (a.end != b.end) return a.end > b.end;
      return a.order < b.order;
    });
    return std::move(timeline_);
  }

 private:
  static constexpr SteadyTime unknown = SteadyTime::min();
  using Question = std::pair<std::uint64_t, int>;  // call and attempt
  struct Attempt {
    std::size_t span = 0;
    std::uint64_t call = 0;
    std::optional<std::size_t> phase;
  };

  std::vector<Span>& spans() { return timeline_.spans; }

  // The lowest free lane of the kind.
  int free_lane(LaneKind kind, SteadyTime at) {
    int number = 1;
    for (std::size_t i = 0; i < timeline_.lanes.size(); ++i) {
      if (timeline_.lanes[i].kind != kind) continue;
      if (!is_busy_[i] && busy_until_[i] <= at) return static_cast<int>(i);
      ++number;
    }
    timeline_.lanes.push_back(Lane{kind, number, {}});
    is_busy_.push_back(false);
    busy_until_.push_back(unknown);
    return static_cast<int>(timeline_.lanes.size()) - 1;
  }

  std::size_t open(LaneKind kind, std::string name, std::string_view category, const RecordedEvent& e, std::optional<int> lane = {}) {
    Span span;
    span.name = std::move(name);
    span.category = category;
    span.start = e.at;
    span.order = spans().size();
    span.end = unknown;
    span.lane = lane ? *lane : free_lane(kind, e.at);
    if (e.call > 0) span.arguments.emplace_back("call", std::to_string(e.call));
    if (e.attempt > 0) span.arguments.emplace_back("attempt", std::to_string(e.attempt));
    is_busy_[span.lane] = true;
    spans().push_back(std::move(span));
    return spans().size() - 1;
  }

  void close(std::size_t index, const RecordedEvent& e) {
    Span& span = spans()[index];
    if (span.end != unknown) return;
    span.end = e.at;
    if (e.status > 0) span.arguments.emplace_back("status", std::to_string(e.status));
    if (e.failure) {
      span.arguments.emplace_back("code", quoted_json(to_string(e.failure->code())));
      span.arguments.emplace_back("failure", quoted_json(e.failure->message()));
    }
    release(span.lane, e.at);
  }

  void release(int lane, SteadyTime at) {
    is_busy_[lane] = false;
    busy_until_[lane] = at;
  }

  void start_attempt(const RecordedEvent& e) {
    std::optional<int> lane;
    if (const auto wait = waits_.find({e.call, e.attempt}); wait != waits_.end()) {
      lane = spans()[wait->second].lane;
      close(wait->second, RecordedEvent(at(e)));
      waits_.erase(wait);
    } else if (const auto pause = pauses_.find({e.call, e.attempt - 1}); pause != pauses_.end()) {
      Span& span = spans()[pause->second];
      if (!is_busy_[span.lane]) lane = span.lane;  // the retry continues on the lane of the wait
      span.end = std::min(span.end, e.at);
      release(span.lane, e.at);
      pauses_.erase(pause);
    }
    Attempt attempt;
    attempt.call = e.call;
    attempt.span = open(LaneKind::request, e.subject, "request", e, lane);
    attempts_[e.exchange] = attempt;
  }

  void finish_attempt(const RecordedEvent& e) {
    const auto found = attempts_.find(e.exchange);
    if (found == attempts_.end()) return;
    if (found->second.phase) close_phase(found->second, e.at);
    close(found->second.span, e);
    last_attempt_[e.call] = found->second.span;
    attempts_.erase(found);
  }

  void start_phase(const RecordedEvent& e) {
    const auto found = attempts_.find(e.exchange);
    if (found == attempts_.end()) return;
    if (found->second.phase) close_phase(found->second, e.at);
    found->second.phase = open(LaneKind::request, std::string(to_string(e.phase)), "phase", e, spans()[found->second.span].lane);
  }

  void finish_phase(const RecordedEvent& e) {
    const auto found = attempts_.find(e.exchange);
    if (found != attempts_.end() && found->second.phase) close_phase(found->second, e.at);
  }

  void close_phase(Attempt& attempt, SteadyTime at) {
    spans()[*attempt.phase].end = at;  // the attempt keeps the lane
    attempt.phase.reset();
  }

  // Follows its attempt in the same turn, and comes after it on the same lane.
  void back_off(const RecordedEvent& e) {
    std::optional<int> lane;
    if (const auto last = last_attempt_.find(e.call); last != last_attempt_.end()) lane = spans()[last->second].lane;
    if (lane && is_busy_[*lane]) lane.reset();
    const std::size_t index = open(LaneKind::request, "back off", "wait", e, lane);
    Span& span = spans()[index];
    span.end = e.at + e.delay;
    span.arguments.emplace_back("asked_by_server", e.is_server_delay ? "true" : "false");
    if (e.status > 0) span.arguments.emplace_back("status", std::to_string(e.status));
    if (e.failure) span.arguments.emplace_back("failure", quoted_json(e.failure->message()));
    release(span.lane, span.end);
    pauses_[{e.call, e.attempt}] = index;
  }

  void finish_call(const RecordedEvent& e) {
    for (auto at = attempts_.begin(); at != attempts_.end();) {
      if (at->second.call != e.call) {
        ++at;
        continue;
      }
      if (at->second.phase) close_phase(at->second, e.at);
      close(at->second.span, RecordedEvent(this->at(e)));
      at = attempts_.erase(at);
    }
    end_of_call(waits_, e);
    for (auto at = pauses_.lower_bound({e.call, 0}); at != pauses_.end() && at->first.first == e.call; at = pauses_.erase(at)) {
      Span& span = spans()[at->second];
      if (span.end > e.at) {
        span.end = e.at;
        release(span.lane, e.at);
      }
    }
    const auto call = calls_.find(e.call);
    if (call == calls_.end()) return;
    close(call->second, e);
    calls_.erase(call);
    last_attempt_.erase(e.call);
  }

  void end_of_call(std::multimap<Question, std::size_t>& waits, const RecordedEvent& e) {
    for (auto at = waits.lower_bound({e.call, 0}); at != waits.end() && at->first.first == e.call; at = waits.erase(at)) {
      close(at->second, RecordedEvent(this->at(e)));
    }
  }

  // Only the time of `e`.
  static Event at(const RecordedEvent& e) {
    Event event;
    event.at = e.at;
    return event;
  }

  SteadyTime end_;
  SteadyTime now_ = unknown;
  Timeline timeline_;
  MemberSpans members_;
  std::vector<bool> is_busy_;
  std::vector<SteadyTime> busy_until_;
  std::map<std::uint64_t, std::size_t> calls_;
  std::map<std::uint64_t, Attempt> attempts_;         // by exchange
  std::map<std::uint64_t, std::size_t> last_attempt_;  // by call
  std::multimap<Question, std::size_t> waits_;
  std::map<Question, std::size_t> pauses_;
  std::multimap<std::uint64_t, std::size_t> refreshes_;
};

}  // namespace

Timeline make_timeline(const std::vector<RecordedEvent>& events, SteadyTime end) {
  Builder builder(end);
  for (const RecordedEvent& event : events) builder.take(event);
  return builder.finish();
}

}  // namespace rollcall::command
