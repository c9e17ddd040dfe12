// Streams of a deleted cluster while no poll is recent enough for a final failure.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("A failure that is too old ends the stream as soon as another poll has confirmed it", "[fleet]") {
  ServiceLoop loop;
  loop.topic->fail(Failure(Errc::not_found, "gone"));
  loop.pass(20s);
  const ExchangePtr stream = loop.follow("");
  CHECK(stream->types() == "beat");
  loop.pass(1s);
  loop.topic->poll();
  loop.poll();
  CHECK(stream->types() == "beat final");
}

TEST_CASE("A heartbeat carries the age of the content that the client has, or none", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 1));
  const ExchangePtr quick = loop.follow("");
  const ExchangePtr slow = loop.follow("");
  slow->stick(true);
  loop.pass(1s);
  loop.topic->show(workers_of(2, 2));
  loop.pass(1s);
  slow->stick(false);
  loop.poll();
  slow->stick(true);
  loop.pass(1s);
  loop.topic->show(workers_of(2, 0));  // sent to the fast reader only
  loop.pass(1s);
  quick->stick(true);
  loop.topic->fail(Failure(Errc::not_found, "gone"));
  loop.pass(20s);
  CHECK(quick->types() == "beat status members members");
  quick->stick(false);
  slow->stick(false);
  loop.poll();
  CHECK(quick->types() == "beat status members members beat");
  CHECK_THAT(quick->last().data, Contains("\"age_ms\":21000"));
  CHECK(slow->types() == "beat status members beat");
  CHECK_THAT(slow->last().data, !Contains("age_ms"));
}
