// GET for inconsistent state: another leader, members that changed places, a spec that is older than the status.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("A client that waits for another version gets that of a later leader", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  const std::string etag = header_of(loop.get(""), "ETag");
  const ExchangePtr waiting = loop.get("?wait=300", {"If-None-Match", etag});
  REQUIRE_FALSE(waiting->is_done);
  loop.clouds->begin_epoch(77);
  loop.pass(std::chrono::seconds(1));
  REQUIRE_FALSE(waiting->is_done);
  loop.topic->show(workers_of(2, 2), false);
  loop.pass(std::chrono::seconds(1));
  REQUIRE(waiting->is_done);
  CHECK(waiting->answered.status == 200);
  CHECK(header_of(waiting, "ETag") == "\"77.1\"");
}

TEST_CASE("A task learns where the first one is, although the service calls no member ready", "[fleet]") {
  ServiceLoop loop;
  ClusterStatus status = workers_of(2, 2);
  for (Member& member : status.members) member.health = Condition(MemberState::waiting, "not ready");
  loop.topic->show(status, false);
  const std::string query = "?view=task&until=endpoints&self=10.0.0.9";
  const ExchangePtr first = loop.get(query);
  CHECK_THAT(first->answered.body, Contains(R"("first":"10.0.0.1:8470")") && Contains(R"("task":null)"));
  status.members[0].address = "10.0.0.9:8470";
  loop.pass(std::chrono::seconds(1));
  loop.topic->show(status, false);
  const ExchangePtr next = loop.get(query);
  CHECK_THAT(next->answered.body, Contains(R"("first":"10.0.0.9:8470")") && Contains(R"("index":0)"));
  CHECK(header_of(next, "ETag") != header_of(first, "ETag"));
}

TEST_CASE("A spec that is older than the status has its own age and generation", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  loop.topic->show_spec(workers_of(2, 2).spec());
  const ExchangePtr first = loop.get("?view=spec");
  CHECK_THAT(first->answered.body, Contains("\"generation\":1"));
  loop.pass(std::chrono::seconds(8));
  loop.topic->show(workers_of(3, 3));
  const ExchangePtr old = loop.get("?view=spec");
  CHECK_THAT(old->answered.body, Contains("\"generation\":1") && !Contains("10.0.0.3"));
  CHECK(header_of(old, "ETag") == header_of(first, "ETag"));
  CHECK(header_of(old, "Rollcall-Age-Ms") == "8000");
  const ExchangePtr waiting = loop.get("?view=spec&wait=60", {"If-None-Match", header_of(first, "ETag")});
  loop.pass(std::chrono::seconds(1));
  CHECK_FALSE(waiting->is_done);
  loop.topic->show_spec(workers_of(3, 3).spec());
  loop.pass(std::chrono::seconds(1));
  REQUIRE(waiting->is_done);
  CHECK_THAT(waiting->answered.body, Contains("\"generation\":2") && Contains("10.0.0.3"));
}

TEST_CASE("A spec that was refused long ago is no verdict", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  loop.topic->show_spec(Failure(Errc::permission_denied, "no right to list instances"));
  CHECK(loop.get("?view=spec")->answered.status == 409);
  loop.pass(std::chrono::hours(1));
  loop.topic->poll();
  const ExchangePtr later = loop.get("?view=spec");
  CHECK_FALSE(later->is_done);
  loop.topic->show_spec(workers_of(2, 2).spec());
  loop.pass(std::chrono::seconds(1));
  REQUIRE(later->is_done);
  CHECK(later->answered.status == 200);
}
