// The reports that a launcher gets which follows by a service's streams, a line each.
#pragma once

#include <deque>

#include "call/call_scope.hpp"
#include "fleet/client/scripted_service.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

using namespace std::chrono_literals;

inline ScriptedService::Reply one_stream(std::vector<std::string> events, ScriptedService::Then then = ScriptedService::Then::hangs) {
  std::vector<ScriptedService::Piece> pieces;
  for (std::string& text : events) pieces.emplace_back(Duration(0), std::move(text));
  return {std::move(pieces), then};
}

// Answers with the streams in order; after the last one no server is there.
inline std::function<ScriptedService::Reply(const HttpRequest&)> streams(std::vector<ScriptedService::Reply> script) {
  const auto rest = std::make_shared<std::deque<ScriptedService::Reply>>(script.begin(), script.end());
  return [rest](const HttpRequest& request) {
    if (!is_stream(request) || rest->empty()) return ScriptedService::Reply(absent_server());
    ScriptedService::Reply next = rest->front();
    rest->pop_front();
    return next;
  };
}

inline std::string full(const ClusterStatus& status, std::uint64_t revision, Duration age = Duration(0)) {
  return event("status", status_body(status, revision, age), revision);
}
inline std::string members(const ClusterStatus& before, const ClusterStatus& now, std::uint64_t revision) {
  return event("members", fleet::render_members_event(2, *fleet::status_delta(before, now, 100), 5ms), revision);
}

// Collects what is reported, a line each.
class Story final : public StatusObserver {
 public:
  explicit Story(ServedRuntime& runtime) : t(runtime) {}
  ServedRuntime& t;
  std::vector<std::string> lines;
  std::vector<ClusterStatus> statuses;
  bool awaits = false;
  void report(ClusterStatus status) override {
    int ready = 0;
    for (const Member& member : status.members) ready += member.state.level == MemberState::ready && !member.address.empty() ? 1 : 0;
    lines.push_back(fmt::format("{} of {}", ready, status.expected));
    statuses.push_back(std::move(status));
  }
  void report_trouble(const Failure& failure) override { lines.push_back("trouble: " + failure.what()); }
  void report_notice(const Notice&) override {}
  bool waits_for_existence() const override { return awaits; }
};

// Follows for so long. Returns the failure that ended it, or cancelled.
inline Failure follow_for(ServedRuntime& t, Story& story, Duration time, std::shared_ptr<ClusterResolver> resolver = nullptr) {
  if (!resolver) resolver = t.resolver();
  Runtime::Impl& impl = impl_of(t.runtime);
  auto script = [resolver, &story](Call& call) { return resolver->do_follow(call, story); };
  auto following = t.start(run_call<void>(impl.shared_from_this(), CallOptions().timeout(std::chrono::hours(24 * 365)),
                                          CallSubject("follow"), std::move(script)));
  const SteadyTime end = t.time->now() + time;
  for (t.poll(); !following.done(); t.poll()) {
    const std::optional<SteadyTime> next = t.time->next_alarm();
    if (!next || *next > end) break;
    t.time->advance_to(*next);
  }
  if (!following.done()) {
    t.time->advance_to(end);
    following.cancel();
    t.poll();
  }
  REQUIRE(following.done());
  CHECK(t.service->open_streams == 0);
  return following.value().has_error() ? following.value().error() : Failure(Errc::cancelled, "no failure");
}

}  // namespace rollcall::testing
