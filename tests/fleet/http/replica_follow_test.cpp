// Streams of one of several replicas: positions of another replica, trouble of its own, another leader, and readiness.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("A client that is ahead of this replica waits until the replica has caught up, two seconds at most", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3, 1));
  const ExchangePtr early = loop.follow("", {"Last-Event-ID", "51.2"});
  const ExchangePtr never = loop.follow("", {"Last-Event-ID", "51.99"});
  loop.pass(1s);
  CHECK(early->types() == "");
  loop.topic->show(workers_of(3, 2));
  loop.pass(100ms);
  CHECK(early->types() == "beat trouble");
  CHECK(early->events[0].id == "51.2");
  CHECK_FALSE(never->is_done);
  loop.pass(1s);
  CHECK(never->is_done);
  CHECK(never->answered.status == 503);
  CHECK_FALSE(early->is_done);
}

TEST_CASE("Trouble without a revision is sent, and the first state of another leader is sent whole, in the same stream", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3, 1));
  const ExchangePtr stream = loop.follow("");
  loop.pass(1s);
  loop.topic->trouble("the store is silent", true);
  loop.pass(1s);
  CHECK(stream->types() == "beat status trouble");
  CHECK(stream->last().id == "51.1");
  CHECK_THAT(stream->last().data, Contains("the store is silent"));
  loop.clouds->begin_epoch(77);
  loop.pass(1s);
  CHECK(stream->last().id == "51.1");
  loop.topic->show(workers_of(3, 1), false);
  loop.pass(1s);
  CHECK(stream->types() == "beat status trouble status trouble");
  CHECK(stream->last().id == "77.1");
  loop.topic->show(workers_of(3, 2));
  loop.pass(1s);
  CHECK(stream->last().type == "members");
  CHECK_FALSE(stream->is_done);
}

TEST_CASE("A client that has heard a later leader is told nothing of an earlier one", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3, 1));
  const ExchangePtr stream = loop.follow("", {"Last-Event-ID", "77.1"});
  loop.pass(1s);
  CHECK(stream->types() == "");
  loop.pass(2s);
  CHECK(stream->answered.status == 503);
}

TEST_CASE("A fleet that cannot serve is not ready, and says why", "[fleet]") {
  ServiceLoop loop;
  loop.clouds->trouble = "the store was not listed yet";
  const ExchangePtr asked = loop.request("GET", "/readyz");
  CHECK(asked->answered.status == 503);
  CHECK_THAT(asked->answered.body, Contains("not listed yet"));
  loop.clouds->trouble.clear();
  CHECK(loop.request("GET", "/readyz")->answered.status == 200);
}
