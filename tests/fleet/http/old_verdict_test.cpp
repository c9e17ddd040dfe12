// Failures from an old poll: they are not final, and the client still gets events.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("A cluster that is back ends no new stream by the failure that is over", "[fleet]") {
  ServiceLoop loop;
  loop.topic->fail(Failure(Errc::not_found, "it was not found"));
  const ExchangePtr first = loop.follow("");
  loop.poll();
  CHECK(first->types() == "beat final");
  const ExchangePtr awaiting = loop.follow("?existence=awaited");
  loop.topic->show(workers_of(2, 2));
  const ExchangePtr second = loop.follow("");
  loop.poll();
  loop.pass(1s);
  CHECK(second->types() == "beat status");
  CHECK_FALSE(second->is_done);
}

TEST_CASE("While only a failure is known that is too old to be a verdict, a stream says why nothing younger is", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3, 3));
  loop.topic->fail(Failure(Errc::not_found, "it was not found"));
  loop.pass(20s);
  const ExchangePtr stream = loop.follow("");
  CHECK(stream->types() == "beat");
  loop.topic->trouble("connection refused");
  loop.pass(1s);
  CHECK(stream->types() == "beat trouble");
  CHECK_THAT(stream->last().data, Contains("connection refused"));
  CHECK(stream->last().id == "51.0");  // the content before the failure was never sent
  loop.pass(10s);
  CHECK(stream->types() == "beat trouble beat");
  loop.topic->show(workers_of(3, 3));
  loop.pass(1s);
  CHECK(stream->types() == "beat trouble beat status trouble");
  CHECK_THAT(stream->last().data, Contains("\"message\":\"\""));
}
