// Following by a service's streams, in virtual time: changes, bodies that are fetched, ends of every kind.
#include <catch2/catch.hpp>

#include "fleet/client/follow_story.hpp"
#include "rollcall/wait.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;
using Piece = ScriptedService::Piece;
using Reply = ScriptedService::Reply;
using Then = ScriptedService::Then;

TEST_CASE("a stream's status and its changes are reported, several at a time as one") {
  ServedRuntime t(only_server);
  const ClusterStatus creating = status_of(3, MemberState::waiting);
  ClusterStatus some = creating;
  some.members[1].state = Condition(MemberState::ready, "READY");
  const ClusterStatus ready = status_of(3);
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, fleet::render_retry(2000ms) + heartbeat(6) + full(creating, 7));
  pieces.emplace_back(5s, members(creating, some, 8) + members(some, ready, 9));
  pieces.emplace_back(9s, heartbeat(12));
  t.service->respond = streams({Reply(std::move(pieces), Then::hangs)});
  Story story(t);
  CHECK(follow_for(t, story, 20s).code() == Errc::cancelled);
  CHECK(story.lines == std::vector<std::string>{"0 of 3", "3 of 3", "3 of 3"});
  CHECK(story.statuses.back() == sent(ready, 2));
  REQUIRE(t.service->requests.size() == 1);
  CHECK(t.service->requests[0].url.target == "/v1/clusters/tpu:trainer,project=p,zone=z?view=status");
  CHECK_FALSE(t.service->requests[0].headers.get("last-event-id"));
  CHECK(std::count(t.log->lines.begin(), t.log->lines.end(), "server_chosen") == 1);
}

TEST_CASE("a wait ends when the service says that all are ready") {
  ServedRuntime t(only_server);
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, full(status_of(2, MemberState::waiting), 1));
  pieces.emplace_back(20s, full(status_of(2), 2));
  t.service->respond = streams({Reply(std::move(pieces), Then::hangs)});
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(t.resolver()));
  CHECK(value_of(status) == sent(status_of(2)));
  CHECK(t.seconds() == Approx(20).margin(0.1));
}

TEST_CASE("a body that is too large for a stream is fetched, and changes that it has are passed over") {
  ServedRuntime t(only_server);
  const ClusterStatus before = status_of(4, MemberState::waiting);
  const ClusterStatus ready = status_of(4);
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, heartbeat(6) + event("sync", fleet::render_sync_event(fleet::Position(10, 7), 1, 5ms), 7));
  pieces.emplace_back(1s, members(ready, before, 8));  // the body was made after it
  t.service->respond = [stream = Reply(std::move(pieces), Then::hangs), ready](const HttpRequest& request) {
    return is_stream(request) ? stream : Reply(200, status_body(ready, 9));
  };
  Story story(t);
  (void)follow_for(t, story, 5s);
  CHECK(story.lines == std::vector<std::string>{"4 of 4", "4 of 4"});
  CHECK_FALSE(t.service->requests[1].headers.get("if-none-match"));
}

TEST_CASE("what is known is not fetched again") {
  ServedRuntime t(only_server);
  t.service->respond = [](const HttpRequest& request) {
    return is_stream(request)
               ? one_stream({full(status_of(2), 7), event("sync", fleet::render_sync_event(fleet::Position(10, 7), 1, 5ms), 8)})
               : Reply(304);
  };
  Story story(t);
  (void)follow_for(t, story, 5s);
  CHECK(t.service->requests[1].headers.get("if-none-match") == "\"10.7\"");
  CHECK(story.statuses.back() == sent(status_of(2)));
  CHECK_FALSE(std::any_of(story.lines.begin(), story.lines.end(), [](const std::string& line) { return line.starts_with("trouble"); }));
}

TEST_CASE("a stream that ends is gone on with where it was, after a part of the pause that it asked for") {
  ServedRuntime t(only_server);
  const ClusterStatus before = status_of(2, MemberState::waiting);
  t.service->respond =
      streams({one_stream({fleet::render_retry(8000ms), full(before, 7)}, Then::breaks), one_stream({members(before, status_of(2), 9)})});
  Story story(t);
  (void)follow_for(t, story, 20s);
  CHECK(story.lines == std::vector<std::string>{"0 of 2", "2 of 2"});
  REQUIRE(t.service->requests.size() == 2);
  CHECK(t.service->requests[1].headers.get("last-event-id") == "10.7");
  CHECK(t.service->times[1] - t.service->times[0] > 100ms);
  CHECK(t.service->times[1] - t.service->times[0] < 8s);
}

TEST_CASE("silence of 30 s is a dead line; beats are no silence") {
  ServedRuntime t(only_server);
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, full(status_of(2, MemberState::waiting), 7));
  pieces.emplace_back(29s, heartbeat(7));
  t.service->respond = streams({Reply(std::move(pieces), Then::hangs), one_stream({full(status_of(2), 8)})});
  Story story(t);
  (void)follow_for(t, story, 50s);
  CHECK(t.service->requests.size() == 1);
  ServedRuntime u(only_server);
  u.service->respond = streams({one_stream({full(status_of(2, MemberState::waiting), 7)}), one_stream({full(status_of(2), 8)})});
  Story second(u);
  (void)follow_for(u, second, 35s);
  CHECK(second.lines == std::vector<std::string>{"0 of 2", "trouble: the service's data is 30 s old", "2 of 2"});
}

TEST_CASE("data that is too old says nothing but its age, until it is fresh again") {
  ServedRuntime t(only_server);
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, full(status_of(2), 7, 45s));
  pieces.emplace_back(5s, heartbeat(7, 50s));
  pieces.emplace_back(5s, heartbeat(7, 1s));
  t.service->respond = streams({Reply(std::move(pieces), Then::hangs)});
  Story story(t);
  (void)follow_for(t, story, 12s);
  CHECK(story.lines ==
        std::vector<std::string>{"trouble: the service's data is 45 s old", "trouble: the service's data is 50 s old", "2 of 2"});
}

TEST_CASE("the service's trouble with the cloud is reported after the status, until it is over") {
  ServedRuntime t(only_server);
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, full(status_of(2, MemberState::waiting), 7) + event("trouble", fleet::render_trouble_event("HTTP 503", 2s), 8));
  pieces.emplace_back(5s, heartbeat(8, 7s));
  pieces.emplace_back(5s, event("trouble", fleet::render_trouble_event("", 0ms), 9));
  t.service->respond = streams({Reply(std::move(pieces), Then::hangs)});
  Story story(t);
  (void)follow_for(t, story, 12s);
  CHECK(story.lines == std::vector<std::string>{"0 of 2", "trouble: HTTP 503", "0 of 2", "trouble: HTTP 503", "0 of 2"});
}

TEST_CASE("a final failure ends it, as from the local resolver; waiting for existence is part of the question") {
  ServedRuntime t(only_server);
  const Failure gone(Errc::not_ready, "TPU 'trainer' was preempted");
  t.service->respond = streams({one_stream({heartbeat(6), event("final", fleet::render_failure_body("tpu:trainer", gone), 7)})});
  Story story(t);
  story.awaits = true;
  const Failure end = follow_for(t, story, 60s);
  CHECK((end.code() == Errc::not_ready && end.what() == gone.what()));
  CHECK_THAT(t.service->requests[0].url.target, Contains("existence=awaited"));
  t.service->respond = [](const HttpRequest&) { return Reply(404, R"({"code":"not_found","message":"no TPU"})"); };
  CHECK(follow_for(t, story, 60s).code() == Errc::not_found);
  t.service->respond = [](const HttpRequest&) { return Reply(403, "no"); };
  CHECK(follow_for(t, story, 60s).code() == Errc::permission_denied);
}
