// A ready part of a cluster whose data grows old makes nothing ready, in virtual time.
#include <catch2/catch.hpp>

#include "fleet/client/follow_story.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Piece = ScriptedService::Piece;
using Reply = ScriptedService::Reply;
using Then = ScriptedService::Then;

namespace {

ServedRuntime::Texts with_max_age(const std::string& age) {
  ServedRuntime::Texts variables = only_server;
  variables.emplace("ROLLCALL_MAX_AGE", age);
  return variables;
}

std::shared_ptr<ClusterResolver> old_and_new(ServedRuntime& t) {
  return make_union_resolver(t.runtime, {t.resolver("tpu:old,project=p,zone=z"), t.resolver("tpu:new,project=p,zone=z")});
}

// `old` is ready from the beginning, `new` after 50 s.
std::function<Reply(const HttpRequest&)> parts(std::vector<Piece> old) {
  std::vector<Piece> late;
  late.emplace_back(0s, full(status_of(2, MemberState::waiting), 1));
  for (int i = 0; i < 4; ++i) late.emplace_back(10s, heartbeat(1));
  late.emplace_back(10s, full(status_of(2), 2));
  for (int i = 0; i < 20; ++i) late.emplace_back(10s, heartbeat(2));
  return [old, late](const HttpRequest& request) {
    const bool is_old = request.url.target.find("tpu:old") != std::string::npos;
    return Reply(is_old ? old : late, Then::hangs);
  };
}

// The service cannot reach its cloud before second 100.
std::vector<Piece> in_trouble() {
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, full(status_of(2), 1) + event("trouble", fleet::render_trouble_event("HTTP 503", 0s), 2));
  for (int i = 1; i < 10; ++i) pieces.emplace_back(10s, heartbeat(2, std::chrono::seconds(10 * i)));
  pieces.emplace_back(10s, event("trouble", fleet::render_trouble_event("", 0ms), 3) + heartbeat(3));
  for (int i = 0; i < 20; ++i) pieces.emplace_back(10s, heartbeat(3));
  return pieces;
}

}  // namespace

TEST_CASE("a union is not ready by a part whose data has grown old, until the part is seen again") {
  ServedRuntime t(only_server);
  t.service->respond = parts(in_trouble());
  CHECK(t.run(try_wait_until_ready(old_and_new(t))));
  CHECK(t.seconds() >= 100);
  CHECK(t.seconds() < 101);
}

TEST_CASE("trouble that is younger than the greatest age keeps no union from being ready") {
  ServedRuntime t(with_max_age("55s"));
  t.service->respond = parts(in_trouble());
  CHECK(t.run(try_wait_until_ready(old_and_new(t))));
  CHECK(t.seconds() < 51);
}

TEST_CASE("data grows old between two events, and between two streams, too") {
  ServedRuntime t(with_max_age("5s"));
  std::vector<Piece> pieces;
  pieces.emplace_back(0s, full(status_of(2), 1));
  pieces.emplace_back(9s, heartbeat(1));
  t.service->respond = streams({Reply(std::move(pieces), Then::hangs)});
  Story story(t);
  (void)follow_for(t, story, 6s);
  CHECK(story.lines == std::vector<std::string>{"2 of 2", "trouble: the service's data is 5.0 s old"});

  ServedRuntime u(with_max_age("5s"));
  u.service->respond = streams({one_stream({fleet::render_retry(600s), full(status_of(2), 1)}, Then::breaks)});
  Story second(u);
  (void)follow_for(u, second, 6s);
  CHECK(second.lines == std::vector<std::string>{"2 of 2", "trouble: the service's data is 5.0 s old"});
}

TEST_CASE("a watch reports that a union is ready once no part's data is old") {
  ServedRuntime t(only_server);
  t.service->respond = parts(in_trouble());
  const auto following = watch(old_and_new(t), WatchOptions().machine_notices(false));
  for (;;) {
    const Result<ClusterChange> change = t.run(following->try_next());
    REQUIRE(change);
    if (change->kind == ChangeKind::cluster_ready) break;
  }
  CHECK(t.seconds() >= 100);
  CHECK(t.seconds() < 101);
}

TEST_CASE("a server whose data grow old is left for another one, and not before it had half a minute") {
  ServedRuntime t(two_servers);
  std::vector<Piece> old;
  old.emplace_back(0s, full(status_of(2, MemberState::waiting), 7));
  for (int i = 1; i < 60; ++i) old.emplace_back(10s, heartbeat(7, std::chrono::seconds(10 * i)));
  t.service->respond = streams({Reply(std::move(old), Then::hangs), one_stream({full(status_of(2), 8)})});
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(t.resolver()));
  CHECK(value_of(status) == sent(status_of(2)));
  REQUIRE(t.service->requests.size() == 2);
  CHECK(t.service->requests[0].url.host != t.service->requests[1].url.host);
  CHECK(t.service->requests[1].headers.get("last-event-id") == "10.7");
  CHECK(t.seconds() > 30);
  CHECK(t.seconds() < 45);
}

TEST_CASE("when the data of all servers are old no client goes round and round, and one server alone is not left") {
  const bool is_alone = GENERATE(true, false);
  ServedRuntime t(is_alone ? only_server : two_servers);
  t.service->respond = [](const HttpRequest&) {
    std::vector<Piece> old;
    old.emplace_back(0s, full(status_of(2), 7, 300s));
    for (int i = 1; i < 60; ++i) old.emplace_back(10s, heartbeat(7, std::chrono::seconds(300 + 10 * i)));
    return Reply(std::move(old), Then::hangs);
  };
  Story story(t);
  (void)follow_for(t, story, 300s);
  CHECK(t.service->requests.size() <= (is_alone ? 1U : 11U));
  CHECK(t.service->requests.size() >= (is_alone ? 1U : 6U));
}

TEST_CASE("a position that is refused is given up once what it stands for is old") {
  ServedRuntime t(only_server);
  t.service->respond = [is_first = true](const HttpRequest& request) mutable {
    if (std::exchange(is_first, false)) return one_stream({full(status_of(2, MemberState::waiting), 5000)}, Then::breaks);
    if (request.headers.get("last-event-id")) return Reply(503);
    return one_stream({full(status_of(2), 4000)});
  };
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(t.resolver()));
  CHECK(value_of(status) == sent(status_of(2)));
  CHECK(t.seconds() > 29);
  CHECK(t.seconds() < 120);
}
