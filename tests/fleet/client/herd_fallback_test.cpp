// A thousand launchers that lose their service at once: each gets its answer, and the cloud's quota holds.
#include <catch2/catch.hpp>

#include "fleet/client/scripted_service.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Reply = ScriptedService::Reply;

TEST_CASE("a thousand clients without a service stay within the quota, and each learns that its cluster is ready", "[long]") {
  ServedRuntime t(only_server);
  constexpr int clients = 1000;
  constexpr std::size_t quota = 300;  // a minute
  fleet::FallbackSchedule fallback_schedule;
  fallback_schedule.after = 60s;
  fallback_schedule.spread = 300s;  // 200 a minute
  fallback_schedule.poll = 300s;
  bool is_up = true;
  t.service->respond = [&](const HttpRequest& request) {
    if (request.url.host != "a.example") return cloud_node();
    if (!is_up) return Reply(absent_server());
    std::vector<ScriptedService::Piece> pieces;
    pieces.emplace_back(0s, fleet::render_retry(20s) + heartbeat(1, Duration(0), fallback_schedule) +
                                event("status", status_body(status_of(2, MemberState::waiting), 1), 1));
    return Reply(std::move(pieces), ScriptedService::Then::breaks);
  };
  std::vector<Runtime> runtimes;
  std::vector<VirtualLoop::Started<Result<ClusterStatus>>> all;
  for (int i = 0; i < clients; ++i) {
    runtimes.push_back(t.make(only_server, {}, static_cast<std::uint64_t>(i) + 10));
    const auto resolver = make_resolver(runtimes.back(), "tpu:trainer,project=p,zone=z").value();
    all.push_back(t.start(try_wait_until_ready(resolver, usually_ready, WaitOptions().timeout(1h))));
  }
  is_up = false;
  int ready = 0;
  for (const auto& one : all) {
    REQUIRE(t.finish(one));
    ready += one.value() ? 1 : 0;
  }
  CHECK(ready == clients);
  CHECK(t.seconds() < 420);
  CHECK(t.service->count("tpu.googleapis.com") == static_cast<std::size_t>(clients));
  std::vector<SteadyTime> polls;
  for (std::size_t i = 0; i < t.service->requests.size(); ++i) {
    if (t.service->requests[i].url.host == "tpu.googleapis.com") polls.push_back(t.service->times[i]);
  }
  std::size_t max = 0;
  for (std::size_t first = 0, last = 0; last < polls.size(); ++last) {
    while (polls[last] - polls[first] >= Duration(1min)) ++first;
    max = std::max(max, last - first + 1);
  }
  INFO("most in a minute: " << max);
  CHECK(max <= quota);
}
