// State that one stream of a service leaves to the next: ages, waiting for existence, pending fetches; and streams without content.
#include <catch2/catch.hpp>

#include "fleet/client/follow_story.hpp"
#include "rollcall/watch.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Piece = ScriptedService::Piece;
using Reply = ScriptedService::Reply;
using Then = ScriptedService::Then;

namespace {

std::string lost_event(std::uint64_t revision) {
  return event("final", fleet::render_failure_body("tpu:trainer", Failure(Errc::not_found, "TPU 'trainer' was not found")), revision);
}

}  // namespace

TEST_CASE("a stream's first heartbeat does not refresh the status of another stream") {
  ServedRuntime t(only_server);
  const std::uint64_t epoch = GENERATE(10U, 11U);
  std::vector<Piece> next;
  next.emplace_back(0s, event("beat", fleet::render_heartbeat_event({}, 100ms), epoch == 10 ? 5 : 0, epoch));
  next.emplace_back(1s, event("status", status_body(status_of(2, MemberState::waiting), 7, 0s, epoch), 7, epoch));
  t.service->respond = streams({one_stream({full(status_of(2), 5, 45s)}, Then::breaks), Reply(std::move(next), Then::hangs)});
  Story story(t);
  (void)follow_for(t, story, 20s);
  CHECK(story.lines == std::vector<std::string>{"trouble: the service's data is 45 s old", "0 of 2"});
}

TEST_CASE("followers that wait for a return do so on the next stream after a cluster has gone") {
  ServedRuntime t(only_server);
  t.service->respond = streams({one_stream({full(status_of(2), 5), lost_event(6)}), one_stream({full(status_of(2), 7)})});
  const auto following = watch(t.resolver(), WatchOptions().machine_notices(false));
  std::vector<std::string> changes;
  for (int i = 0; i < 8; ++i) {
    const auto next = t.run(following->try_next());
    if (!next) changes.emplace_back(to_string(next.error().code()));
    if (next && next->kind != ChangeKind::trouble && next->kind != ChangeKind::trouble_over) changes.emplace_back(to_string(next->kind));
    if (changes.size() == 8 || changes.back() == "deadline_exceeded") break;
  }
  CHECK(std::count(changes.begin(), changes.end(), "member_joined") == 4);
  CHECK(std::count(changes.begin(), changes.end(), "member_left") == 2);
  REQUIRE(t.service->requests.size() == 2);
  CHECK_FALSE(t.service->requests[0].url.target.ends_with("existence=awaited"));
  CHECK(t.service->requests[1].url.target.ends_with("&existence=awaited"));
}

TEST_CASE("a stream that is kept alive without events is left, and so is one with heartbeats only") {
  ServedRuntime t(two_servers);
  std::vector<Piece> pieces;
  for (int i = 0; i < 30; ++i) pieces.emplace_back(5s, ": still here\n\n");
  const Reply silent = GENERATE_COPY(Reply(pieces, Then::hangs), one_stream({heartbeat(1)}, Then::ends));
  t.service->respond = streams({silent, one_stream({full(status_of(2), 8)})});
  Story story(t);
  (void)follow_for(t, story, 60s);
  CHECK(std::find(story.lines.begin(), story.lines.end(), "2 of 2") != story.lines.end());
  REQUIRE(t.service->requests.size() >= 2);
  CHECK(t.service->times[1] < SteadyTime(50s));
  CHECK(t.service->requests[0].url.host != t.service->requests[1].url.host);
}

TEST_CASE("bodies are fetched only if they are newer, and each is reported before the next") {
  ServedRuntime t(only_server);
  std::string syncs = heartbeat(1);
  for (std::uint64_t i = 2; i <= 40; ++i) syncs += event("sync", fleet::render_sync_event(fleet::Position(10, i), 1, 5ms), i);
  t.service->respond = [&](const HttpRequest& request) {
    return is_stream(request) ? one_stream({syncs}) : Reply(200, status_body(status_of(2), 40));
  };
  Story story(t);
  (void)follow_for(t, story, 5s);
  CHECK(t.service->requests.size() <= 3);  // the stream, the body of revision 40, and a check that it is the latest
  CHECK(story.lines.front() == "2 of 2");
}

TEST_CASE("a busy server is left for another one, and alone it is given the time that it asks for") {
  const bool is_alone = GENERATE(true, false);
  ServedRuntime t(is_alone ? only_server : two_servers);
  const auto [status, code] = GENERATE(std::pair(503, Errc::unavailable), std::pair(503, Errc::limit_exceeded),
                                       std::pair(429, Errc::limit_exceeded), std::pair(429, Errc::rate_limited));
  const std::string busy = fleet::render_failure_body("tpu:trainer", Failure(code, "too many followers"));
  const auto script = std::make_shared<int>(0);
  const int busy_status = status;
  t.service->respond = [=](const HttpRequest&) {
    return ++*script == 1 ? Reply(busy_status, busy).with("Retry-After", "7") : one_stream({full(status_of(2), 8)});
  };
  Story story(t);
  (void)follow_for(t, story, 30s);
  REQUIRE(t.service->requests.size() == 2);
  CHECK((t.service->requests[0].url.host == t.service->requests[1].url.host) == is_alone);
  if (is_alone) CHECK(t.service->times[1] - t.service->times[0] >= 7s);
  if (!is_alone) CHECK(t.service->times[1] - t.service->times[0] <= 1s);
  CHECK(story.lines.back() == "2 of 2");
}
