// GET of the service: bodies, versions, ages, and how long it waits.
#include <zlib.h>

#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::string inflated(std::string_view packed) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("GET returns the status, its version, its age and the schedule for a lost service", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  loop.pass(1s);
  const ExchangePtr got = loop.get("");
  REQUIRE(got->is_done);
  CHECK(got->answered.status == 200);
  CHECK(header_of(got, "ETag") == "\"51.1\"");
  CHECK(header_of(got, "Rollcall-Position") == "51.1");
  CHECK(header_of(got, "Rollcall-Age-Ms") == "1000");
  CHECK(header_of(got, "Rollcall-Fallback") == "after=60, spread=1800, poll=1800");
  CHECK(header_of(got, "Cache-Control") == "no-cache");
  CHECK(header_of(got, "Vary") == "Accept, Accept-Encoding");
  CHECK(header_of(got, "Content-Type") == "application/json");
  const auto document = value_of(fleet::parse_status_body(got->answered.body, ParseLimits()));
  CHECK(document.status == workers_of(2, 2));
  CHECK(document.position == fleet::Position(51, 1));
  CHECK(document.generation == 1);
  CHECK_FALSE(document.age);
  CHECK(loop.topic->listeners() == 0);  // nothing is left behind
  CHECK(loop.followers() == 0);
}

TEST_CASE("GET returns the age of the last poll, also if it found nothing new while there was no listener", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  CHECK(header_of(loop.get(""), "Rollcall-Age-Ms") == "0");
  loop.pass(8s);
  loop.topic->poll();
  loop.pass(2s);
  CHECK(header_of(loop.get(""), "Rollcall-Age-Ms") == "2000");
}

TEST_CASE("GET waits for the first poll, half a minute at most, and then returns the trouble", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr early = loop.get("");
  loop.pass(29s);
  CHECK_FALSE(early->is_done);
  CHECK(loop.topic->listeners() == 1);
  loop.topic->show(workers_of(2, 1));
  loop.poll();
  CHECK(early->answered.status == 200);

  ServiceLoop silent;
  const ExchangePtr late = silent.get("?view=progress");
  silent.topic->trouble("connection refused");
  silent.pass(29s);
  CHECK_FALSE(late->is_done);
  silent.pass(2s);
  CHECK(late->answered.status == 503);
  CHECK_THAT(late->answered.body, Contains("connection refused") && Contains("\"code\":\"unavailable\""));
  CHECK(std::stoi(header_of(late, "Retry-After")) >= 5);
  CHECK(header_of(late, "Rollcall-Fallback") != "-");
}

TEST_CASE("GET has old data polled again, and waits five seconds for it", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  loop.pass(11s);
  const ExchangePtr fresh = loop.get("");
  CHECK_FALSE(fresh->is_done);
  CHECK(loop.topic->polls_asked == 1);
  loop.pass(2s);
  loop.topic->poll();
  loop.poll();
  REQUIRE(fresh->is_done);
  CHECK(header_of(fresh, "Rollcall-Age-Ms") == "0");
  CHECK(header_of(fresh, "ETag") == "\"51.1\"");

  loop.pass(20s);
  const ExchangePtr old = loop.get("");
  loop.pass(4900ms);
  CHECK_FALSE(old->is_done);
  loop.pass(200ms);
  REQUIRE(old->is_done);
  CHECK(old->answered.status == 200);
  CHECK(header_of(old, "Rollcall-Age-Ms") == "25000");
}

TEST_CASE("A version that the client has is not sent again, and wait= waits for another one", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 1));
  for (const char* const tags : {"\"51.1\"", "W/\"51.1\"", "\"x\", W/\"51.1\" ,\"y\"", "*"}) {
    const ExchangePtr known = loop.get("", {"If-None-Match", tags});
    CHECK(known->answered.status == 304);
    CHECK(known->answered.body.empty());
    CHECK(header_of(known, "ETag") == "\"51.1\"");
  }
  CHECK(loop.get("", {"If-None-Match", "\"51.11\""})->answered.status == 200);
  CHECK(loop.get("", {"If-None-Match", "51.1"})->answered.status == 200);

  const ExchangePtr waiting = loop.get("?wait=60", {"If-None-Match", "\"51.1\""});
  const ExchangePtr progress = loop.get("?view=progress&wait=60&until=endpoints", {"If-None-Match", "\"51.1\""});
  for (int i = 0; i < 5; ++i) {
    loop.pass(6s);
    loop.topic->poll();
  }
  loop.topic->trouble("503");
  loop.topic->show(workers_of(2, 1));  // another status, the same progress
  loop.pass(1s);
  CHECK(waiting->answered.status == 200);
  CHECK(header_of(waiting, "ETag") == "\"51.3\"");
  CHECK(loop.followers() == 0);
  CHECK(progress->is_done);  // the generation counts

  const ExchangePtr in_vain = loop.get("?wait=60", {"If-None-Match", "\"51.3\""});
  loop.pass(59s);
  CHECK_FALSE(in_vain->is_done);
  loop.pass(2s);
  CHECK(in_vain->answered.status == 304);
}

TEST_CASE("Large bodies are packed once for all who take that, and say the same", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3000, 3000));
  const ExchangePtr plain = loop.get("");
  const ExchangePtr packed = loop.get("", {"Accept-Encoding", "br, gzip"});
  const ExchangePtr again = loop.get("", {"Accept-Encoding", "*"});
  const ExchangePtr refused = loop.get("", {"Accept-Encoding", "gzip;q=0, *"});
  REQUIRE(packed->is_done);
  CHECK(header_of(packed, "Content-Encoding") == "gzip");
  CHECK(inflated(packed->answered.body) == plain->answered.body);
  CHECK(packed->answered.body.size() * 5 < plain->answered.body.size());
  CHECK(packed->shared_body == again->shared_body);
  CHECK(plain->shared_body == refused->shared_body);
  CHECK(header_of(refused, "Content-Encoding") == "-");
  CHECK(value_of(fleet::parse_status_body(plain->answered.body, ParseLimits())).status.members.size() == 3000);
}

TEST_CASE("progress and task name the missing members, and the client's own task", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 3));
  CHECK(
      loop.get("?view=progress")->answered.body ==
      R"({"generation":1,"phase":"provisioning","state":"CREATING","is_ready":false,"ready":3,"total":4,"missing":"worker 3: CREATING","trouble":""})");
  CHECK_THAT(loop.get("?view=progress&members=6&until=endpoints")->answered.body,
             Contains("\"total\":6") && Contains("worker 4-5: not there yet"));
  CHECK_THAT(loop.get("?view=task&self=10.0.0.2")->answered.body, !Contains("\"task\"") && Contains("\"is_ready\":false"));
  loop.topic->show(workers_of(4, 4));
  loop.pass(1s);
  const std::string ready =
      R"({"generation":2,"phase":"running","state":"READY","is_ready":true,"ready":4,"total":4,"missing":"","trouble":"","tasks":4,"first":"10.0.0.1:8470")";
  CHECK(loop.get("?view=task")->answered.body == ready + "}");
  CHECK(loop.get("?view=task&self=10.0.0.2")->answered.body == ready + R"(,"task":{"job":"worker","index":1,"address":"10.0.0.2:8470"}})");
  CHECK(loop.get("?view=task&self=10.0.0.2:8470")->answered.body ==
        ready + R"(,"task":{"job":"worker","index":1,"address":"10.0.0.2:8470"}})");
  CHECK(loop.get("?view=task&self=10.0.0.2:1")->answered.body == ready + R"(,"task":null})");
  CHECK(loop.get("?view=task&self=10.9.9.9")->answered.body == ready + R"(,"task":null})");

  ClusterStatus many = workers_of(0, 0);
  for (int i = 0; i < 4000; ++i) {
    many.members.emplace_back("worker", i).state = Condition(MemberState::waiting, fmt::format("state {} of many", i));
  }
  loop.topic->show(many);
  loop.pass(1s);
  const auto progress = loop.get("?view=progress");
  CHECK(progress->answered.body.size() < 2500);
  CHECK_THAT(progress->answered.body, Contains("\"total\":4000"));
}

TEST_CASE("A spec is returned as it was polled, and its failure as the failure of the question", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  const ExchangePtr got = loop.get("?view=spec");
  CHECK_FALSE(got->is_done);
  CHECK(loop.topic->is_spec_wanted());
  loop.topic->show_spec(workers_of(2, 2).spec());
  loop.poll();
  CHECK(got->answered.body == R"({"generation":1,"cluster":{"worker":["10.0.0.1:8470","10.0.0.2:8470"]},"failures":[]})");
  CHECK(header_of(got, "ETag") == "\"51.2\"");
  loop.topic->show_spec(Failure(Errc::not_ready, "TPU 'trainer' is CREATING"));
  loop.pass(1s);
  const ExchangePtr failed = loop.get("?view=spec");
  CHECK(failed->answered.status == 409);
  CHECK_THAT(failed->answered.body, Contains("\"code\":\"not_ready\"") && Contains("is CREATING"));
}

TEST_CASE("What ends a question has a status of its own", "[fleet]") {
  const auto status = [](Errc code, std::string_view query = "") {
    ServiceLoop loop;
    loop.topic->fail(Failure(code, "the cloud says no").with_hint("ask somebody"));
    const ExchangePtr got = loop.get(query);
    CHECK_THAT(got->answered.body, Contains("the cloud says no") && Contains("\"hint\":\"ask somebody\"") &&
                                       Contains("\"target\":\"tpu:trainer,project=p,zone=z\""));
    return got->answered.status;
  };
  CHECK(status(Errc::not_found) == 404);
  CHECK(status(Errc::not_found, "?view=task") == 404);
  CHECK(status(Errc::not_found, "?view=history") == 404);
  CHECK(status(Errc::invalid_argument) == 400);
  CHECK(status(Errc::permission_denied) == 409);  // a failure of the service's own credentials is not the client's fault
  CHECK(status(Errc::unauthenticated) == 409);
  CHECK(status(Errc::not_ready) == 409);
  CHECK(status(Errc::conflict) == 409);

  ServiceLoop loop;
  loop.topic->fail(Failure(Errc::not_found, "no TPU 'trainer'"));
  const ExchangePtr absent = loop.get("?existence=awaited");
  CHECK(absent->answered.status == 200);
  CHECK_THAT(absent->answered.body, Contains("\"phase\":\"provisioning\"") && Contains("no TPU 'trainer'"));
  CHECK_THAT(loop.get("?view=progress&existence=awaited")->answered.body, Contains("\"is_ready\":false"));

  ServiceLoop lost;
  ClusterStatus preempted = workers_of(2, 2);
  preempted.members[1].state = Condition(MemberState::lost, "PREEMPTED");
  lost.topic->show(preempted);
  CHECK(lost.get("")->answered.status == 200);
  const ExchangePtr verdict = lost.get("?view=task");
  CHECK(verdict->answered.status == 409);
  CHECK_THAT(verdict->answered.body, Contains("\"code\":\"not_ready\"") && Contains("PREEMPTED"));
}

TEST_CASE("history lists the changes, oldest first", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 1));
  loop.pass(5s);
  loop.topic->show(workers_of(2, 2));
  CHECK_THAT(loop.get("?view=history")->answered.body,
             Catch::StartsWith(R"({"history":[{"time":"1999-)") &&
                 Contains(R"(:00Z","phase":"provisioning","state":"CREATING","ready":0,"total":2},{)") &&
                 Contains(R"(:05Z","phase":"running")"));
  CHECK(loop.request("GET", std::string(ServiceLoop::trainer) + "?view=history", {"Accept", "text/event-stream"})->answered.status == 406);
}

TEST_CASE("All followed targets are listed, and judged again only after a change", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 3));
  loop.clouds->named("tpu:other,project=p,zone=z")->trouble("429");
  const ExchangePtr stream = loop.follow("?view=progress");
  loop.pass(840ms);
  const ExchangePtr list = loop.request("GET", "/v1/clusters");
  loop.poll();
  CHECK(
      list->answered.body ==
      R"({"clusters":[{"target":"tpu:other,project=p,zone=z","place":"z","type":"","standing":"unknown","phase":"running","state":"","ready":0,"total":0,"missing":"","trouble":"429","generation":0,"followers":0,"age_ms":null},)"
      R"({"target":"tpu:trainer,project=p,zone=z","place":"z","type":"","standing":"provisioning","phase":"provisioning","state":"CREATING","ready":3,"total":4,"missing":"worker 3: CREATING","trouble":"","generation":1,"followers":1,"age_ms":840}]})");
  loop.topic->show(workers_of(4, 4));
  loop.pass(500ms);
  CHECK(loop.request("GET", "/v1/clusters")->shared_body == list->shared_body);  // at most a second old
  loop.pass(600ms);
  CHECK_THAT(loop.request("GET", "/v1/clusters")->answered.body, Contains(R"("ready":4,"total":4)"));
  for (int i = 0; i < 50; ++i) loop.clouds->named(fmt::format("tpu:t{},project=p,zone=z", i))->show(workers_of(100, 100));
  loop.pass(2s);
  const ExchangePtr packed = loop.request("GET", "/v1/clusters", {"Accept-Encoding", "gzip"});
  loop.poll();
  CHECK_THAT(inflated(packed->answered.body), Contains("tpu:t49"));
}

TEST_CASE("A client that goes is noticed while its answer is waited for, and a service that stops answers at once", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr gone = loop.get("");
  CHECK(loop.followers() == 1);
  gone->leave();
  loop.poll();
  CHECK(gone->is_done);
  CHECK(loop.followers() == 0);
  CHECK(loop.topic->listeners() == 0);
  CHECK(loop.request("GET", "/readyz")->answered.status == 200);
  loop.topic->show(workers_of(2, 2));
  const ExchangePtr waiting = loop.get("?wait=300", {"If-None-Match", "\"51.1\""});
  CHECK_FALSE(waiting->is_done);
  loop.service.close();
  loop.poll();
  CHECK(waiting->answered.status == 304);
  CHECK(loop.request("GET", "/readyz")->answered.status == 503);
  CHECK(loop.request("GET", "/healthz")->answered.status == 200);
}
