// Authentication and rights: checked before a request is handled, and as long as its answer goes on.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_access.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("Without a proof of identity only the health of the service can be read", "[fleet]") {
  AccessLoop t;
  for (const std::string& target :
       {AccessLoop::trainer, std::string("/v1/clusters"), std::string("/v1/sources"), std::string("/nonsense")}) {
    INFO(target);
    const ExchangePtr refused = t.ask(target, "");
    CHECK(refused->answered.status == 401);
    CHECK(header_of(refused, "WWW-Authenticate") == "Bearer");
    CHECK_THAT(refused->answered.body, Contains("\"code\":\"unauthenticated\"") && Contains("no token"));
    CHECK(t.ask(target, "unknown")->answered.status == 401);
  }
  CHECK(t.ask("/healthz", "")->answered.status == 200);
  CHECK(t.ask("/readyz", "")->answered.status == 200);
  // A browser cannot send a token before it has the page: the page is empty then.
  const ExchangePtr page = t.ask("/", "");
  CHECK(page->answered.status == 200);
  CHECK_THAT(page->answered.body, Contains("<!doctype html>") && !Contains("trainer"));
  CHECK(t.ask("/", "unknown")->answered.status == 401);
  const int asked = t.access->asked;
  t.ask("/healthz", "a");
  CHECK(t.access->asked == asked);
  const ExchangePtr later = t.ask(AccessLoop::trainer, "later");
  CHECK(later->answered.status == 503);
  CHECK(header_of(later, "Retry-After") != "-");
  CHECK(t.ask(AccessLoop::trainer, "a")->answered.status == 200);
}

TEST_CASE("A target that may not be read has the same answer whether it exists, may be named, or not", "[fleet]") {
  AccessLoop t;
  const auto target = [](const std::string& name) { return "/v1/clusters/tpu:" + name + ",project=p,zone=z"; };
  const std::size_t topics = t.loop.clouds->topics().size();
  const auto masked = [](const ExchangePtr& got, const std::string& name) {
    std::string body = got->answered.body;
    for (std::size_t at = body.find(name); at != std::string::npos; at = body.find(name)) body.replace(at, name.size(), "NAME");
    return fmt::format("{} {}", got->answered.status, body);
  };
  const std::string hidden = masked(t.ask(target("other"), "a"), "other");
  CHECK_THAT(hidden, Contains("403") && Contains("'a' may not read"));
  CHECK(masked(t.ask(target("nowhere"), "a"), "nowhere") == hidden);
  CHECK(masked(t.ask(target("forbidden"), "a"), "forbidden") == hidden);  // a right without allow is not enough
  CHECK(t.loop.clouds->topics().size() == topics);                        // no topic was made
  CHECK(t.ask(target("other"), "b")->answered.status == 200);
  CHECK(t.ask(target("nonsense") + "?veiw=x", "a")->answered.status == 400);
}

TEST_CASE("The list shows what the client may read", "[fleet]") {
  AccessLoop t;
  const auto list = [&t](const std::string& who) { return t.ask("/v1/clusters", who)->answered.body; };
  for (int i = 0; i < 2; ++i) {
    CHECK_THAT(list("a"), Contains("tpu:trainer") && !Contains("tpu:other"));
    CHECK_THAT(list("b"), !Contains("tpu:trainer") && Contains("tpu:other"));
  }
  t.access->rights["b"] = {};
  ++t.access->changes;
  CHECK(list("b") == "{\"clusters\":[]}");
}

TEST_CASE("A stream ends a minute after what proves who it is, and its client may come back", "[fleet]") {
  AccessLoop t;
  t.access->ends["a"] = t.loop.time->wall_now() + 30s;
  const ExchangePtr stream = t.stream("a");
  REQUIRE(stream->is_streamed);
  t.loop.pass(89s);
  CHECK_FALSE(stream->is_done);
  t.loop.pass(1s);
  CHECK(stream->is_done);
  CHECK(stream->is_stream_ended);
  CHECK(stream->last().type == "expired");
  CHECK(stream->last().data == "{}");
  CHECK(t.loop.followers() == 0);
  const ExchangePtr late = t.stream("a");
  CHECK(late->answered.status == 401);
  CHECK_THAT(late->answered.body, Contains("has expired"));
  t.access->ends["a"] = t.loop.time->wall_now() + 1h;
  CHECK(t.stream("a")->is_streamed);
  t.access->ends["a"] = WallTime::max();
  CHECK(t.stream("a")->is_streamed);
}

TEST_CASE("A stream ends soon after what proves who it is was withdrawn", "[fleet]") {
  AccessLoop t;
  const ExchangePtr stream = t.stream("a");
  t.loop.pass(30s);
  CHECK_FALSE(stream->is_done);
  t.access->proof->is_over = true;
  t.loop.pass(12s);
  CHECK(stream->is_stream_ended);
  CHECK(stream->last().type == "expired");
}

TEST_CASE("Rights that are withdrawn end what goes on, and others do not notice", "[fleet]") {
  AccessLoop t;
  t.access->rights["c"] = {"trainer"};
  const ExchangePtr stream = t.stream("a");
  const ExchangePtr other = t.stream("c");
  const std::string etag = header_of(t.ask(AccessLoop::trainer, "a"), "ETag");
  const ExchangePtr waiting = t.ask(AccessLoop::trainer + "?wait=60", "a", {"If-None-Match", etag});
  const std::size_t sent = stream->events.size();
  t.access->rights["a"] = {"absent"};
  ++t.access->changes;
  t.loop.topic->show(workers_of(2, 1));  // before any listener is woken
  t.loop.pass(1s);
  CHECK(stream->is_stream_ended);
  REQUIRE(stream->events.size() == sent + 1);
  CHECK(stream->last().type == "final");
  CHECK_THAT(stream->last().data, Contains("permission_denied"));
  CHECK(waiting->answered.status == 403);
  CHECK_FALSE(other->is_done);
  // A service that changes its settings wakes the listeners itself.
  t.access->forbidden = "trainer";
  ++t.access->changes;
  t.loop.service.judge_again();
  t.loop.pass(0s);
  CHECK(other->is_stream_ended);
  CHECK(other->last().type == "final");
}

TEST_CASE("A client that waits while the ways of authentication change is asked to come again, since its proof may still be valid",
          "[fleet]") {
  AccessLoop t;
  const ExchangePtr stream = t.stream("a");
  const std::string etag = header_of(t.ask(AccessLoop::trainer, "a"), "ETag");
  const ExchangePtr waiting = t.ask(AccessLoop::trainer + "?wait=60", "a", {"If-None-Match", etag});
  t.loop.service.require_reauthentication();
  t.loop.topic->show(workers_of(2, 1));
  t.loop.pass(1s);
  CHECK(stream->is_stream_ended);
  CHECK(stream->last().type == "expired");
  CHECK(waiting->answered.status == 503);
  CHECK(header_of(waiting, "Retry-After") != "-");
  CHECK(t.ask(AccessLoop::trainer, "a")->answered.status == 200);
}

TEST_CASE("A slow reader gets nothing that was withdrawn from its rights meanwhile", "[fleet]") {
  AccessLoop t;
  const ExchangePtr stream = t.stream("a");
  stream->stick(true);
  t.loop.topic->show(workers_of(2, 1));
  t.loop.pass(5s);
  t.access->rights["a"] = {};
  ++t.access->changes;
  stream->stick(false);
  t.loop.pass(0s);
  CHECK(stream->types() == "beat status final");
}

TEST_CASE("Bounds are those of an identity at an address", "[fleet]") {
  FleetBounds bounds;
  bounds.streams_a_client = 2;
  bounds.requests_a_second = 2;
  bounds.burst = 10;
  AccessLoop t(bounds);
  t.access->rights["c"] = {"trainer"};
  CHECK(t.stream("a")->is_streamed);
  CHECK(t.stream("a")->is_streamed);
  CHECK(t.stream("a")->answered.status == 429);
  CHECK(t.stream("a", "192.0.2.2")->is_streamed);
  CHECK(t.stream("c")->is_streamed);
  CHECK(t.stream("a", "127.0.0.1")->is_streamed);  // this machine too, since it has an identity
  for (int i = 3; i < 10; ++i) CHECK(t.ask(AccessLoop::trainer + "?view=history", "b")->answered.status == 403);
  int refused = 0;
  for (int i = 0; i < 30; ++i) refused += t.ask("/v1/clusters", "c", {}, "198.51.100.7")->answered.status == 429 ? 1 : 0;
  CHECK(refused == 20);
  const ExchangePtr over = t.ask("/v1/clusters", "c", {}, "198.51.100.7");
  CHECK_THAT(over->answered.body, Contains("requests a second"));
  CHECK(header_of(over, "Retry-After") != "-");
  CHECK(t.ask("/healthz", "c", {}, "198.51.100.7")->answered.status == 200);
  t.loop.pass(1s);
  CHECK(t.ask("/v1/clusters", "c", {}, "198.51.100.7")->answered.status == 200);
  CHECK(t.ask("/v1/clusters", "c", {}, "198.51.100.7")->answered.status == 200);
  CHECK(t.ask("/v1/clusters", "c", {}, "198.51.100.7")->answered.status == 429);
  bounds.burst = 1000;
  t.loop.service.change(bounds);
  CHECK(t.ask("/v1/clusters", "c", {}, "198.51.100.7")->answered.status == 200);
}

TEST_CASE("Guesses are counted by the address that they come from, without regard to forwarding headers", "[fleet]") {
  FleetBounds bounds;
  bounds.burst = 10;
  AccessLoop t(bounds);
  for (int i = 0; i < 30; ++i)
    t.ask(AccessLoop::trainer, "guess", {"Forwarded", fmt::format("for=10.0.0.{}", i), "X-Forwarded-For", fmt::format("10.0.0.{}", i)});
  const int asked = t.access->asked;
  CHECK(asked == 10);
  const ExchangePtr over = t.ask(AccessLoop::trainer, "guess");
  CHECK(over->answered.status == 429);
  CHECK(header_of(over, "Retry-After") != "-");
  CHECK_THAT(over->answered.body, Contains("\"code\":\"rate_limited\"") && Contains("no valid proof of identity"));
  CHECK_THAT(over->answered.body, !Contains("requests a second"));
  CHECK(t.access->asked == asked);
  CHECK(t.ask(AccessLoop::trainer, "a", {}, "192.0.2.9")->answered.status == 200);
  t.loop.pass(1s);
  CHECK(t.ask(AccessLoop::trainer, "a")->answered.status == 200);
}

TEST_CASE("Guesses do not delay known clients at their address", "[fleet]") {
  FleetBounds bounds;
  bounds.burst = 10;
  AccessLoop t(bounds);
  t.access->verified = {"a"};
  for (int i = 0; i < 30; ++i) t.ask(AccessLoop::trainer, "guess");
  const int asked = t.access->asked;
  for (int i = 0; i < 5; ++i) CHECK(t.ask(AccessLoop::trainer, "a")->answered.status == 200);
  CHECK(t.access->asked == asked);
  CHECK(t.ask(AccessLoop::trainer, "b")->answered.status == 429);  // its signature would have to be verified
}

TEST_CASE("Guesses hold up no token at their address that its issuer has signed", "[fleet]") {
  FleetBounds bounds;
  bounds.burst = 10;
  AccessLoop t(bounds);
  t.access->good_tokens = {"a"};
  for (int i = 0; i < 30; ++i) t.ask(AccessLoop::trainer, "guess");
  for (int i = 0; i < 5; ++i) CHECK(t.ask(AccessLoop::trainer, "a")->answered.status == 200);
  CHECK(t.ask(AccessLoop::trainer, "b")->answered.status == 429);
  CHECK(t.ask(AccessLoop::trainer, "guess")->answered.status == 429);
}

TEST_CASE("An identity names so many new targets an hour, from wherever it asks", "[fleet]") {
  FleetBounds bounds;
  bounds.unknown_targets_an_hour = 3;
  AccessLoop t(bounds);
  const auto name = [&t](int i, std::string peer) {
    const ExchangePtr asked = t.ask(fmt::format("/v1/clusters/tpu:trainer{},project=p,zone=z", i), "a", {}, std::move(peer));
    asked->leave();
    t.loop.poll();
    return asked->answered.status;
  };
  for (int i = 0; i < 3; ++i) CHECK(name(i, fmt::format("192.0.2.{}", i)) == 0);
  CHECK(name(3, "192.0.2.77") == 429);
  CHECK(name(0, "192.0.2.77") == 0);
}

TEST_CASE("A client that may not read a target of a named cluster does not learn whether it is followed", "[fleet]") {
  AccessLoop t;
  const auto text = [](const std::string& job) {
    return value_of(Target::parse("kubernetes:train,job.worker=job-name=" + job + ",context=prod")).to_text();
  };
  t.loop.clouds->named(text("there"))->show(workers_of(2, 2));
  const auto ask = [&](const std::string& job, const std::string& who) {
    const ExchangePtr got = t.ask("/v1/clusters/" + text(job), who);
    std::string body = got->answered.body;
    for (std::size_t at = body.find(job); at != std::string::npos; at = body.find(job)) body.replace(at, job.size(), "JOB");
    return fmt::format("{} {}", got->answered.status, body);
  };
  CHECK_THAT(ask("there", "a"), Contains("403"));
  CHECK(ask("there", "a") == ask("elsewhere", "a"));
  t.access->rights["a"].emplace_back("train");
  CHECK_THAT(ask("there", "a"), Contains("200"));
  CHECK_THAT(ask("elsewhere", "a"), Contains("400"));
}

TEST_CASE("What cannot be checked at present counts as a guess too", "[fleet]") {
  FleetBounds bounds;
  bounds.burst = 10;
  AccessLoop t(bounds);
  for (int i = 0; i < 30; ++i) t.ask(AccessLoop::trainer, "later");
  CHECK(t.access->asked == 10);
  CHECK(t.ask(AccessLoop::trainer, "later")->answered.status == 429);
  CHECK(t.ask(AccessLoop::trainer, "a", {}, "192.0.2.9")->answered.status == 200);
}
