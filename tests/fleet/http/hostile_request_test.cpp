// Requests that must be refused, and limits.
#include <catch2/catch.hpp>

#include "base/text.hpp"
#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

ExchangePtr asked_of(ServiceLoop& loop, std::string host, std::vector<std::string> headers = {}) {
  const auto exchange = std::make_shared<ScriptedExchange>();
  exchange->time = loop.time;
  exchange->asked.method = "GET";
  exchange->asked.target = "/healthz";
  exchange->asked.host = std::move(host);
  for (std::size_t i = 0; i + 1 < headers.size(); i += 2) exchange->asked.headers.add(headers[i], headers[i + 1]);
  loop.start(exchange);
  return exchange;
}

}  // namespace

TEST_CASE("Paths and methods that are none are refused by name", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr unknown = loop.request("GET", "/v1/cluster");
  CHECK(unknown->answered.status == 404);
  CHECK_THAT(unknown->answered.body, Contains("did you mean /v1/clusters?") && Contains("\"code\":\"not_found\""));
  for (const char* const path : {"", "*", "/v2/clusters/tpu:x,project=p,zone=z", "//v1/clusters", "/v1/clusters%2Ftpu:x", "/healthz/",
                                 "/%00", "/\xff\xfe", "/..", "http://127.0.0.1/healthz"}) {
    INFO(path);
    CHECK(loop.request("GET", path)->answered.status == 404);
  }
  const ExchangePtr post = loop.request("POST", std::string(ServiceLoop::trainer));
  CHECK(post->answered.status == 405);
  CHECK(header_of(post, "Allow") == "GET, HEAD");
  const ExchangePtr get = loop.request("GET", "/v3/discovery:endpoints");
  CHECK(get->answered.status == 405);
  CHECK(header_of(get, "Allow") == "POST");
  CHECK(loop.request("DELETE", "/v1/clusters")->answered.status == 405);
  CHECK(loop.request("GET", "/v1/clusters?watch=1")->answered.status == 400);
  CHECK(loop.request("GET", "/v1/clusters/tpu:" + std::string(9000, 'a'))->answered.status == 414);
  loop.topic->show(workers_of(2, 2));
  const ExchangePtr head = loop.request("HEAD", std::string(ServiceLoop::trainer), {"Accept", "text/event-stream"});
  CHECK(head->answered.status == 200);
  CHECK(head->is_done);
  CHECK(header_of(head, "Content-Type") == "application/json");
  CHECK(head->events.empty());
}

TEST_CASE("Questions that are none are refused, and follow nothing", "[fleet]") {
  ServiceLoop loop;
  const std::string base(ServiceLoop::trainer);
  for (const std::string& question : {base + "?view=everything",
                                      base + "?veiw=task",
                                      base + "?view=task&view=task",
                                      base + "?view",
                                      base + "?wait=-1",
                                      base + "?wait=301",
                                      base + "?wait=1e9",
                                      base + "?until=reachable",
                                      base + "?until=devices",
                                      base + "?members=-1",
                                      base + "?members=99999999999",
                                      base + "?self=%00",
                                      base + "?self=%zz",
                                      base + "?%76iew=task",
                                      base + "?existence=maybe",
                                      base + "?self=10.0.0.1%0d%0aX:1",
                                      base + "?self=" + std::string(5000, '1'),
                                      base + "?&",
                                      std::string("/v1/clusters/"),
                                      std::string("/v1/clusters/%"),
                                      std::string("/v1/clusters/%00"),
                                      std::string("/v1/clusters/tpu:x%00,project=p,zone=z"),
                                      std::string("/v1/clusters/tpu:%2500,project=p,zone=z"),
                                      std::string("/v1/clusters/tpu:x%250a,project=p,zone=z"),
                                      std::string("/v1/clusters/tpu:%25ff,project=p,zone=z"),
                                      std::string("/v1/clusters/tpu:%E2%80%AE,project=p,zone=z"),
                                      std::string("/v1/clusters/tpu:\xff,project=p,zone=z"),
                                      std::string("/v1/clusters/tpu:local"),
                                      std::string("/v1/clusters/file:/etc/passwd"),
                                      std::string("/v1/clusters/auto:"),
                                      std::string("/v1/clusters/tpu:grpc://10.0.0.1:8470"),
                                      std::string("/v1/clusters/tpu:x,project=p,zone=z,endpoint=http://evil"),
                                      std::string("/v1/clusters/kubernetes:train,context=prod"),
                                      std::string("/v1/clusters/tpu:x,project=p,project=q")}) {
    INFO(question);
    const ExchangePtr refused = loop.request("GET", question);
    CHECK(refused->is_done);
    CHECK(refused->answered.status == 400);
    CHECK_THAT(refused->answered.body, Contains("\"code\":\"invalid_argument\""));
    CHECK(printable(refused->answered.body, 1 << 20) == refused->answered.body);
    CHECK(refused->answered.body.size() < 4096);
  }
  CHECK(loop.clouds->topics().size() == 1);
  CHECK(loop.followers() == 0);
  CHECK_THAT(loop.request("GET", base + "?veiw=task")->answered.body, Contains("did you mean view?"));
}

TEST_CASE("A page of another site cannot ask a service of this machine", "[fleet]") {
  ServiceLoop loop;
  for (const char* const host : {"127.0.0.1", "127.0.0.1:7070", "[::1]:7070", "[::1]", "localhost", "LOCALHOST:7070", "10.0.0.1:80"}) {
    INFO(host);
    CHECK(asked_of(loop, host)->answered.status == 200);
  }
  for (const char* const host : {"evil.example",
                                 "evil.example:7070",
                                 "",
                                 "127.0.0.1.evil.example",
                                 "localhost.evil.example:80",
                                 "[::1",
                                 "[::1].evil.example",
                                 "[::1].evil.example:80",
                                 "[::1]x",
                                 "[::1]:80:80",
                                 "[::1]]",
                                 "127.0.0.1:80.evil.example",
                                 "127.0.0.1:x",
                                 "localhost:-1",
                                 "localhost:80:80",
                                 "::1",
                                 ":80",
                                 "[::1]:7070,evil.example",
                                 "[evil]",
                                 "1234",
                                 "0x7f.1"}) {
    INFO(host);
    CHECK(asked_of(loop, host)->answered.status == 421);
  }
  CHECK(asked_of(loop, "127.0.0.1:7070", {"Origin", "http://127.0.0.1:7070"})->answered.status == 200);
  CHECK(asked_of(loop, "127.0.0.1:7070", {"Origin", "https://127.0.0.1:7070"})->answered.status == 200);
  for (const char* const origin :
       {"http://evil.example", "null", "http://127.0.0.1:7071", "127.0.0.1:7070", "http://127.0.0.1:7070/", "file://"}) {
    INFO(origin);
    CHECK(asked_of(loop, "127.0.0.1:7070", {"Origin", origin})->answered.status == 403);
  }
  CHECK(asked_of(loop, "127.0.0.1:7070", {"Origin", "http://127.0.0.1:7070", "Origin", "http://evil.example"})->answered.status == 403);
  for (const char* const site : {"none", "same-origin"})
    CHECK(asked_of(loop, "127.0.0.1:7070", {"Sec-Fetch-Site", site})->answered.status == 200);
  for (const char* const site : {"cross-site", "same-site", "nonsense"})
    CHECK(asked_of(loop, "127.0.0.1:7070", {"Sec-Fetch-Site", site})->answered.status == 403);
  fleet::FleetHttpOptions open;
  open.is_for_this_machine = false;
  ServiceLoop served(open);
  CHECK(asked_of(served, "rollcall.example")->answered.status == 200);
  CHECK(asked_of(served, "rollcall.example", {"Origin", "https://rollcall.example"})->answered.status == 200);
  CHECK(asked_of(served, "rollcall.example", {"Origin", "https://evil.example"})->answered.status == 403);
}

TEST_CASE("Each address has its bounds, all have one together, and this machine is not counted", "[fleet]") {
  fleet::FleetHttpOptions options;
  options.bounds.followers = 40;
  ServiceLoop loop(options);
  loop.topic->show(workers_of(2, 2));
  const auto stream_from = [&loop](std::string peer) {
    return loop.request("GET", std::string(ServiceLoop::trainer), {"Accept", "text/event-stream"}, std::move(peer));
  };
  std::vector<ExchangePtr> streams;
  for (int i = 0; i < 16; ++i) streams.push_back(stream_from("192.0.2.1"));
  CHECK(streams.back()->is_streamed);
  const ExchangePtr refused = stream_from("192.0.2.1");
  CHECK(refused->answered.status == 429);
  CHECK(std::stoi(header_of(refused, "Retry-After")) >= 30);
  CHECK(stream_from("::ffff:192.0.2.1")->answered.status == 429);
  streams[3]->leave();
  loop.poll();
  CHECK(stream_from("192.0.2.1")->is_streamed);
  for (int i = 0; i < 16; ++i) CHECK(stream_from(fmt::format("2001:db8::{:x}", i))->is_streamed);
  CHECK(stream_from("2001:db8::ffff:1:1")->answered.status == 429);  // one network
  for (int i = 0; i < 8; ++i) CHECK(stream_from("127.0.0.1")->is_streamed);
  CHECK(loop.followers() == 40);
  const ExchangePtr full = stream_from("127.0.0.1");
  CHECK(full->answered.status == 503);
  CHECK(header_of(full, "Retry-After") != "-");
  CHECK(header_of(full, "Rollcall-Fallback") != "-");
}

TEST_CASE("A client can name a hundred new targets an hour", "[fleet]") {
  fleet::FleetHttpOptions options;
  options.bounds.burst = 1000;
  ServiceLoop loop(options);
  loop.topic->show(workers_of(2, 2));
  const auto name = [&loop](int i, std::string peer) {
    const ExchangePtr asked = loop.request("GET", fmt::format("/v1/clusters/tpu:t{},project=p,zone=z", i), {}, std::move(peer));
    asked->leave();
    loop.poll();
    return asked->answered.status;
  };
  int refused = 0;
  for (int i = 0; i < 150; ++i) refused += name(i, "192.0.2.1") == 429 ? 1 : 0;
  CHECK(refused == 50);
  CHECK(loop.clouds->topics().size() == 101);
  CHECK(name(7, "192.0.2.1") == 0);    // known: it waits for its first poll
  CHECK(name(900, "192.0.2.2") == 0);
  CHECK(name(901, "127.0.0.1") == 0);
  CHECK(name(902, "192.0.2.1") == 429);
  loop.pass(37s);
  CHECK(name(902, "192.0.2.1") == 0);
  loop.clouds->max_targets = 0;
  CHECK(name(903, "127.0.0.1") == 429);
}

TEST_CASE("One target is one, however it is spelled, and few different questions about it are followed", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 1));
  std::vector<ExchangePtr> streams;
  for (int members = 0; members < 64; ++members) streams.push_back(loop.follow("?view=progress&members=" + std::to_string(members)));
  for (const ExchangePtr& stream : streams) CHECK(stream->is_streamed);
  CHECK(loop.follow("?view=progress&members=100")->answered.status == 429);
  CHECK(loop.follow("?view=progress&members=7")->is_streamed);
  streams.back()->leave();
  loop.poll();
  CHECK(loop.follow("?view=progress&members=100")->is_streamed);
}

TEST_CASE("What launchers ask always has a place, and so has the first question of each client", "[fleet]") {
  fleet::FleetHttpOptions options;
  options.bounds.burst = 1000;
  ServiceLoop loop(options);
  loop.topic->show(workers_of(2, 2));
  std::vector<ExchangePtr> streams;
  const auto follow_from = [&](const std::string& peer, int members) {
    const std::string target = fmt::format("{}?view=progress&members={}", ServiceLoop::trainer, members);
    streams.push_back(loop.request("GET", target, {"Accept", "text/event-stream"}, peer));
    return streams.back()->is_streamed;
  };
  for (int members = 1; members <= 64; ++members) CHECK(follow_from("127.0.0.1", members));
  CHECK_FALSE(follow_from("127.0.0.1", 65));
  for (const char* const view : {"status", "progress", "task", "history"}) {
    CHECK(loop.get(fmt::format("?view={}", view))->answered.status == 200);
    CHECK(loop.get(fmt::format("?view={}&existence=awaited", view))->answered.status == 200);
  }
  CHECK(loop.follow("?view=spec")->is_streamed);
  CHECK(follow_from("192.0.2.1", 100));
  CHECK_FALSE(follow_from("192.0.2.1", 101));
  CHECK(follow_from("192.0.2.2", 101));
  CHECK(follow_from("192.0.2.3", 101));  // followed already
  for (const ExchangePtr& stream : streams) stream->leave();
  loop.poll();
  int followed = 0;
  for (int members = 1; members <= 16; ++members) followed += follow_from("192.0.2.4", members) ? 1 : 0;
  CHECK(followed == 8);
}
