// Servers that move their clients, send malformed answers, are lost and found, in virtual time.
#include <catch2/catch.hpp>

#include "fleet/client/follow_story.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;
using Piece = ScriptedService::Piece;
using Reply = ScriptedService::Reply;
using Then = ScriptedService::Then;

TEST_CASE("a server that moves its clients is left at once for the other one") {
  ServedRuntime t(two_servers);
  std::vector<std::string> hosts;
  t.service->respond = [&hosts](const HttpRequest& request) {
    hosts.push_back(request.url.host);
    if (hosts.size() == 1)
      return one_stream({fleet::render_retry(60s), full(status_of(2, MemberState::waiting), 7), event("moved", "{}", 8)}, Then::ends);
    return one_stream({full(status_of(2), 9)});
  };
  Story story(t);
  (void)follow_for(t, story, 1s);
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0] != hosts[1]);
  CHECK(story.lines == std::vector<std::string>{"0 of 2", "2 of 2"});
  CHECK(t.service->requests[1].headers.get("last-event-id") == "10.8");
}

TEST_CASE("a server that makes no sense is left, and nothing that it said is believed") {
  const auto left = [](const std::string& name, std::vector<std::string> events) {
    INFO(name);
    ServedRuntime t(two_servers);
    bool is_first = true;
    std::string bad;
    t.service->respond = [&](const HttpRequest& request) {
      if (std::exchange(is_first, false)) bad = request.url.host;
      return request.url.host == bad ? (is_stream(request) ? one_stream(events) : Reply(200, status_body(status_of(9), 1)))
                                     : one_stream({full(status_of(2), 9)});
    };
    Story story(t);
    (void)follow_for(t, story, 5s);
    REQUIRE(story.lines.size() >= 2);
    CHECK(story.lines.back() == "2 of 2");
    CHECK(std::any_of(story.lines.begin(), story.lines.end(), [](const std::string& line) { return line.starts_with("trouble"); }));
    CHECK(std::find(story.lines.begin(), story.lines.end(), "9 of 9") == story.lines.end());
  };
  const std::string good = full(status_of(3), 7);
  left("garbage", {std::string("\xff\xfe\xff\n\n")});
  left("an endless line", {std::string(600'000, 'x'), std::string(600'000, 'x')});
  left("a huge event", {"id: 10.1\ndata: " + std::string(900'000, 'x') + "\ndata: " + std::string(900'000, 'x') + "\n\n"});
  left("no JSON", {event("status", "{", 7)});
  left("ids that go back", {good, full(status_of(9), 6)});
  left("no id", {fleet::render_server_event("status", status_body(status_of(9), 7), "")});
  left("changes of nothing", {members(status_of(1), status_of(9), 7)});
  left("changes of what another leader said",
       {good, event("members", fleet::render_members_event(2, *fleet::status_delta(status_of(3), status_of(9), 100), 5ms), 8, 11)});
  left("a body older than told", {event("sync", fleet::render_sync_event(fleet::Position(10, 7), 1, 5ms), 7)});
  left("a status without an age", {event("status", fleet::render_status_body(fleet::Position(10, 7), 1, status_of(9)), 7)});
  left("a senseless final", {event("final", R"({"code":"cancelled","message":"x"})", 7)});
}

TEST_CASE("another leader begins with the whole") {
  ServedRuntime t(only_server);
  t.service->respond = streams({one_stream({full(status_of(3), 700)}, Then::breaks),
                                one_stream({event("status", status_body(status_of(2), 2, Duration(0), 11), 2, 11)})});
  Story story(t);
  (void)follow_for(t, story, 5s);
  CHECK(story.lines == std::vector<std::string>{"3 of 3", "2 of 2"});
}

TEST_CASE("what an earlier leader says is not taken, while what a later one said counts") {
  ServedRuntime t(only_server);
  t.service->respond = streams({one_stream({event("status", status_body(status_of(3), 7, Duration(0), 11), 7, 11)}, Then::breaks),
                                one_stream({full(status_of(2), 900)})});
  Story story(t);
  (void)follow_for(t, story, 20s);
  CHECK(story.lines.front() == "3 of 3");
  CHECK(std::find(story.lines.begin(), story.lines.end(), "2 of 2") == story.lines.end());
  CHECK_THAT(story.lines.at(1), Catch::Contains("the server is at 10.900, before 11.7 of a later leader"));
  CHECK(t.service->requests.back().headers.get("last-event-id") == "11.7");
}

TEST_CASE("lost servers are tried again and again, the cloud is asked by the ration, until one is back") {
  ServedRuntime t(two_servers);
  fleet::FallbackSchedule fallback_schedule;
  fallback_schedule.after = 60s;
  fallback_schedule.spread = 100s;
  fallback_schedule.poll = 50s;
  int phase = 0;
  t.service->respond = [&](const HttpRequest& request) {
    if (request.url.host == "tpu.googleapis.com") return cloud_node();
    if (phase == 0)
      return one_stream({full(status_of(2, MemberState::waiting), 7), heartbeat(7, Duration(0), fallback_schedule)}, Then::breaks);
    return phase == 1 ? Reply(absent_server()) : one_stream({full(status_of(5), 8)});
  };
  Story story(t);
  const auto resolver = t.resolver();
  auto script = [resolver, &story](Call& call) { return resolver->do_follow(call, story); };
  auto following = t.start(run_call<void>(impl_of(t.runtime).shared_from_this(), CallOptions().timeout(std::chrono::hours(24)),
                                          CallSubject("follow"), std::move(script)));
  phase = 1;
  const auto run_to = [&t](Duration when) {
    for (t.poll(); t.time->next_alarm() && *t.time->next_alarm() <= SteadyTime(when); t.poll()) t.time->advance_to(*t.time->next_alarm());
    t.time->advance_to(SteadyTime(when));
    t.poll();
  };
  run_to(59s);
  CHECK(t.service->count("tpu.googleapis.com") == 0);
  CHECK(story.lines.front() == "0 of 2");
  CHECK_THAT(story.lines.back(), Contains("no server answers"));
  const std::string trouble = story.lines.back();
  run_to(59500ms);
  CHECK(story.lines.back() == trouble);  // a wait reports it once
  run_to(400s);
  const std::size_t polls = t.service->count("tpu.googleapis.com");
  CHECK(polls >= 5);  // from second 60 to second 160, every 50 s
  CHECK(polls <= 8);
  CHECK(std::count(story.lines.begin(), story.lines.end(), "2 of 2") == static_cast<std::ptrdiff_t>(polls));
  CHECK(t.service->requests.size() < 120);  // 1 to 30 s apart
  phase = 2;
  run_to(800s);
  const std::size_t late_polls = t.service->count("tpu.googleapis.com");
  run_to(3600s);
  CHECK(late_polls <= polls + 1);  // until the next try of a server
  CHECK(t.service->count("tpu.googleapis.com") == late_polls);
  CHECK(story.lines.back() == "5 of 5");
  following.cancel();
  t.poll();
  CHECK(following.done());
  CHECK(std::count(t.log->lines.begin(), t.log->lines.end(), "server_chosen") == 2);
}

TEST_CASE("a union of a target that is served and one that is not is ready when both are") {
  ServedRuntime t(only_server);
  t.service->respond = [](const HttpRequest& request) {
    if (request.url.host == "a.example") return one_stream({full(status_of(2), 7)});
    return cloud_node();
  };
  const auto both =
      make_union_resolver(t.runtime, {t.resolver(), t.resolver("tpu:trainer,project=p,zone=z,endpoint=https://tpu.example/")});
  const ClusterStatus status = value_of(t.run(try_wait_until_ready(both)));
  CHECK(status.members.size() == 4);
  CHECK(t.service->count("tpu.example") > 0);
}

TEST_CASE("the parts of a union that has lost its servers look together, by one list of their zone") {
  ServedRuntime t(only_server);
  bool is_up = true;
  t.service->respond = [&is_up](const HttpRequest& request) {
    if (request.url.host != "a.example") {
      std::string nodes;
      for (const std::string name : {"n1", "n2", "n3", "n4", "n5"}) {
        nodes += std::string(nodes.empty() ? "" : ",") + R"({"name":"projects/p/locations/z/nodes/)" + name +
                 R"(","state":"READY","acceleratorType":"v4-8","networkEndpoints":[{"ipAddress":"10.0.0.1","port":8470}]})";
      }
      return Reply(200, R"({"nodes":[)" + nodes + "]}");
    }
    fleet::FallbackSchedule fallback_schedule;
    fallback_schedule.after = 60s;
    fallback_schedule.spread = fallback_schedule.poll = 100s;
    return is_up ? one_stream({heartbeat(7, Duration(0), fallback_schedule) + full(status_of(1, MemberState::waiting), 7)}, Then::breaks)
                 : Reply(absent_server());
  };
  std::vector<std::shared_ptr<ClusterResolver>> parts;
  for (int i = 1; i <= 5; ++i) parts.push_back(t.resolver("tpu:n" + std::to_string(i) + ",project=p,zone=z"));
  const auto waiting =
      t.start(try_wait_until_ready(make_union_resolver(t.runtime, std::move(parts)), usually_ready, WaitOptions().timeout(1h)));
  t.poll();
  is_up = false;
  REQUIRE(t.finish(waiting));
  CHECK(waiting.value());
  CHECK(t.service->count("tpu.googleapis.com") == 1);
}

TEST_CASE("a stream whose token has run out is followed by another one, and no server is lost by it") {
  ServedRuntime t(two_servers);
  t.service->respond = streams({one_stream({full(status_of(2, MemberState::waiting), 7), event("expired", "{}", 7)}, Then::ends),
                                one_stream({event("expired", "{}", 7)}, Then::ends), one_stream({full(status_of(2), 8)})});
  Story story(t);
  (void)follow_for(t, story, 10s);
  CHECK(story.lines == std::vector<std::string>{"0 of 2", "2 of 2"});
  CHECK(t.service->requests[1].url.host == t.service->requests[0].url.host);
  CHECK(t.service->requests[2].url.host == t.service->requests[0].url.host);
  CHECK(t.service->requests[1].headers.get("last-event-id") == "10.7");
  CHECK(std::count(t.log->lines.begin(), t.log->lines.end(), "server_left") == 0);
}
