// The list of clusters as a stream, and the page over HTTP.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_access.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;
using std::chrono::seconds;

namespace {

ExchangePtr follow_fleet(ServiceLoop& loop, std::string last_event = {}) {
  std::vector<std::string> headers = {"Accept", "text/event-stream"};
  if (!last_event.empty()) headers.insert(headers.end(), {"Last-Event-ID", last_event});
  return loop.request("GET", "/v1/clusters", headers);
}

}  // namespace

TEST_CASE("the list as a stream: all, then what changes, once a second at most", "[fleet][list]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  const ExchangePtr stream = follow_fleet(loop);
  REQUIRE(stream->types() == "start summary");
  CHECK_THAT(stream->events[0].data, Contains("\"ids\":[1]"));
  CHECK_THAT(stream->events[1].data,
             Contains(R"("standing":"provisioning","phase":"provisioning","state":"CREATING","ready":1,"total":4)"));
  CHECK_THAT(stream->events[1].data, Contains(R"("id":1,"age_ms":0,"history":[[)"));
  loop.pass(seconds(5));
  CHECK(stream->types() == "start summary");  // nothing new

  loop.topic->show(workers_of(4, 2));
  loop.topic->show(workers_of(4, 4));
  loop.clouds->named("tpu:other,project=p,zone=z");
  loop.pass(seconds(1));
  REQUIRE(stream->types() == "start summary summary summary");
  CHECK_THAT(stream->events[3].data, Contains(R"("standing":"ready")"));
  CHECK_THAT(stream->events[2].data, Contains(R"("standing":"unknown")"));

  loop.pass(seconds(2));
  loop.topic->poll();  // a poll without news
  loop.pass(seconds(1));
  CHECK(stream->last().type == "looked");
  CHECK_THAT(stream->last().data, Contains(R"("ids":[1])"));
  loop.pass(seconds(11));
  CHECK(stream->last().type == "beat");
  stream->leave();
  loop.pass(seconds(1));
  CHECK(stream->is_done);
  CHECK(loop.followers() == 0);
}

TEST_CASE("a client that comes back to the list gets the present lines, and the changes", "[fleet][list]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 4));
  loop.clouds->named("tpu:other,project=p,zone=z")->show(workers_of(2, 0));
  const ExchangePtr before = follow_fleet(loop);
  REQUIRE(before->types() == "start summary summary");
  const std::string position = before->last().id;
  before->leave();
  loop.pass(seconds(2));
  loop.clouds->named("tpu:other,project=p,zone=z")->show(workers_of(2, 2));
  loop.pass(seconds(2));
  const ExchangePtr after = follow_fleet(loop, position);
  REQUIRE(after->types() == "start summary looked");  // the age of a known line is new
  CHECK_THAT(after->events[0].data, Contains("\"ids\":["));
  CHECK_THAT(after->events[1].data, Contains("tpu:other"));
  // A client that has only the first events, or a part of a round, gets all lines again.
  for (const std::size_t heard : {0, 1}) CHECK(follow_fleet(loop, before->events[heard].id)->types() == "start summary summary");
  const ExchangePtr stranger = follow_fleet(loop, "99.1");  // a position of another service
  CHECK(stranger->types() == "start summary summary");
}

TEST_CASE("a service that stops sends those who follow its list away", "[fleet][list]") {
  ServiceLoop loop;
  const ExchangePtr stream = follow_fleet(loop);
  loop.service.close();
  loop.pass(seconds(2));
  CHECK(stream->last().type == "moved");
  CHECK(stream->is_stream_ended);
  CHECK(follow_fleet(loop)->answered.status == 503);
}

TEST_CASE("so many follow the list, and no more", "[fleet][list]") {
  ServiceLoop loop;
  std::vector<ExchangePtr> streams;
  for (int i = 0; i < 64; ++i) streams.push_back(follow_fleet(loop));
  CHECK(streams.back()->is_streamed);
  CHECK(follow_fleet(loop)->answered.status == 503);
  streams.front()->leave();
  loop.pass(seconds(1));
  CHECK(follow_fleet(loop)->is_streamed);
}

TEST_CASE("clients that follow the list leave places for others", "[fleet][list]") {
  AccessLoop t;
  const auto stream_of = [&t](const std::string& who) { return t.ask("/v1/clusters", who, {"Accept", "text/event-stream"}); };
  int of_last = 0;
  for (int client = 0; client < 5; ++client) {
    const std::string who = fmt::format("reader {}", client);
    t.access->rights[who] = {"trainer"};
    of_last = 0;
    for (int i = 0; i < 16; ++i) of_last += stream_of(who)->is_streamed ? 1 : 0;
  }
  CHECK(of_last > 0);
  t.access->rights["late"] = {"trainer"};
  const ExchangePtr late = stream_of("late");
  CHECK(late->is_streamed);
  late->leave();
  t.loop.pass(seconds(1));
  CHECK(stream_of("late")->is_streamed);
}

TEST_CASE("the page, its files and their headers", "[fleet][page]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  const ExchangePtr page = loop.request("GET", "/?filter=state%3Dready");
  CHECK(page->answered.status == 200);
  CHECK(header_of(page, "Content-Type") == "text/html; charset=utf-8");
  CHECK_THAT(header_of(page, "Content-Security-Policy"),
             Contains("default-src 'none'; script-src 'self';") && Contains("frame-ancestors 'none'"));
  CHECK(header_of(page, "X-Content-Type-Options") == "nosniff");
  CHECK(header_of(page, "Referrer-Policy") == "no-referrer");
  CHECK_THAT(page->answered.body, Contains("tpu:trainer,project=p,zone=z") && Contains("1 of 4"));

  const ExchangePtr script = loop.request("GET", "/page/page.js");
  CHECK(header_of(script, "Content-Type") == "text/javascript; charset=utf-8");
  CHECK_THAT(header_of(script, "Content-Security-Policy"), Contains("default-src 'none'"));
  CHECK_THAT(script->answered.body, Contains("import { FleetView }"));
  const ExchangePtr packed = loop.request("GET", "/page/page.js", {"Accept-Encoding", "gzip"});
  CHECK(header_of(packed, "Content-Encoding") == "gzip");
  CHECK(packed->answered.body.size() < script->answered.body.size());
  CHECK(loop.request("GET", "/page/page.js", {"If-None-Match", header_of(script, "ETag")})->answered.status == 304);
  CHECK(loop.request("GET", "/page/../page.js")->answered.status == 404);
  CHECK(loop.request("GET", "/page/")->answered.status == 404);
  CHECK(loop.request("POST", "/")->answered.status == 405);
}

TEST_CASE("a link on another site opens the page, and nothing else", "[fleet][page]") {
  ServiceLoop loop;
  const auto from_elsewhere = [&loop](std::string path, std::string mode, std::string kind) {
    return loop
        .request("GET", std::move(path),
                 {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", std::move(mode), "Sec-Fetch-Dest", std::move(kind)})
        ->answered.status;
  };
  CHECK(from_elsewhere("/", "navigate", "document") == 200);
  CHECK(from_elsewhere("/", "navigate", "iframe") == 403);
  CHECK(from_elsewhere("/", "no-cors", "image") == 403);
  CHECK(from_elsewhere("/v1/clusters", "navigate", "document") == 403);
}

TEST_CASE("the shape of an accelerator, for drawings", "[fleet][page]") {
  ServiceLoop loop;
  const ExchangePtr known = loop.request("GET", "/v1/topology/v4-32");
  CHECK(known->answered.status == 200);
  CHECK_THAT(known->answered.body, Contains(R"("hosts":4)") && Contains(R"("host_bounds":[)"));
  CHECK(loop.request("GET", "/v1/topology/v4-31")->answered.status == 400);
  CHECK(loop.request("GET", "/v1/topology/v9-32")->answered.status == 404);
  CHECK(loop.request("GET", "/v1/topology/")->answered.status == 400);
  CHECK_THAT(loop.request("GET", "/v1")->answered.body, Contains("/v1/topology/TYPE"));
  CHECK(loop.request("GET", "/v1/sources")->answered.body == R"({"sources":[]})");
}

TEST_CASE("Lists of thousands are judged in turns, and delay no other request", "[fleet][list]") {
  AccessLoop t;
  t.access->rights["c"] = {"-0"};  // few of them
  for (int i = 0; i < 5000; ++i) t.loop.clouds->named(fmt::format("tpu:n-{:04},project=p,zone=z", i));
  int max = 0;
  int before = 0;
  std::function<void(int)> watch = [&](int left) {
    max = std::max(max, t.access->judged - before);
    before = t.access->judged;
    if (left > 0) asio::post(t.loop.io, [&watch, left] { watch(left - 1); });
  };
  for (const char* const who : {"a", "b", "c"}) {
    watch(2000);
    CHECK(t.ask("/v1/clusters", who)->answered.status == 200);
    watch(2000);
    CHECK_FALSE(t.ask("/v1/clusters", who, {"Accept", "text/event-stream"})->events.empty());
    watch(2000);
    CHECK(t.ask("/", who)->answered.status == 200);
  }
  CHECK(t.access->judged >= 9 * 5000);
  CHECK(max <= 2000);
}

TEST_CASE("numbers and positions in the list's stream reveal nothing of what other clients read", "[fleet][list]") {
  AccessLoop t;
  for (int i = 0; i < 20; ++i) t.loop.clouds->named(fmt::format("tpu:n-{:04},project=p,zone=z", i));
  const auto follow = [&t](const std::string& last_event) {
    std::vector<std::string> headers = {"Accept", "text/event-stream"};
    if (!last_event.empty()) headers.insert(headers.end(), {"Last-Event-ID", last_event});
    return t.ask("/v1/clusters", "b", headers);
  };
  const auto changes_of_others = [&t](int from, int count) {
    for (int i = 0; i < count; ++i) {
      t.loop.clouds->named(fmt::format("tpu:m-{:04},project=p,zone=z", from + i))->show(workers_of(2, i % 3));
      t.loop.pass(seconds(2));
    }
  };
  t.ask("/v1/clusters", "a", {"Accept", "text/event-stream"});
  t.loop.pass(seconds(2));
  changes_of_others(0, 5);
  const ExchangePtr stream = follow("");
  REQUIRE(stream->types() == "start summary");
  CHECK_THAT(stream->events[0].data, Contains("\"ids\":[1]"));
  CHECK_THAT(stream->events[1].data, Contains("\"id\":1,") && Contains("tpu:other"));
  const auto position_of = [](const ExchangePtr& sent) { return sent->last().id.substr(sent->last().id.find('.')); };
  CHECK(position_of(stream) == ".1");
  changes_of_others(5, 5);
  t.loop.pass(seconds(12));
  CHECK(stream->last().type == "beat");
  CHECK(position_of(stream) == ".1");
  t.loop.clouds->named("tpu:other,project=p,zone=z")->show(workers_of(3, 1));
  t.loop.pass(seconds(2));
  CHECK(position_of(stream) == ".2");
  const ExchangePtr again = follow(stream->last().id);
  CHECK(again->types() == "start looked");
  CHECK_THAT(again->events[0].data, Contains("\"ids\":[1]"));
  // The position of another reader is not resumed.
  CHECK(t.ask("/v1/clusters", "a", {"Accept", "text/event-stream", "Last-Event-ID", stream->last().id})
            ->types()
            .starts_with("start summary"));
  for (const ExchangePtr& one : {stream, again}) one->leave();
  t.loop.pass(seconds(2));
}

TEST_CASE("a client that comes to the list of another service gets all lines, without regard to its position", "[fleet][list]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 4));
  const ExchangePtr before = follow_fleet(loop);
  REQUIRE(before->types() == "start summary");
  loop.pass(seconds(2));
  const std::string position = before->last().id;
  // The same fleet in another process, which has its own numbers and has advanced further.
  const auto other = std::make_shared<fleet::FleetHttp>(loop.clouds);
  const HttpServer::Handler first = std::exchange(loop.handler, other->handler());
  const ExchangePtr early = follow_fleet(loop);
  loop.clouds->named("tpu:other,project=p,zone=z")->show(workers_of(2, 0));
  loop.pass(seconds(2));
  const ExchangePtr after = follow_fleet(loop, position);
  CHECK(after->types() == "start summary summary");
  for (const ExchangePtr& stream : {before, early, after}) stream->leave();
  loop.pass(seconds(2));
  loop.handler = first;
}
