// When a client that has lost its servers asks the cloud itself.
#include "fleet/client/rules/server_loss.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace std::chrono_literals;

namespace {

SteadyTime at(Duration when) { return SteadyTime(when); }

}  // namespace

TEST_CASE("servers are lost when all have failed since one answered, from the first failure on") {
  ServerLoss loss(ServerFallback::automatic, 2);
  CHECK(!loss.is_lost());
  loss.note_failure(0, at(1s), 0.5);
  loss.note_failure(0, at(2s), 0.5);
  CHECK(!loss.is_lost());
  CHECK(loss.direct_from() == SteadyTime::max());
  loss.note_answer();
  loss.note_failure(0, at(10s), 0.5);
  loss.note_failure(1, at(11s), 0.5);
  REQUIRE(loss.is_lost());
  CHECK(loss.direct_from() == at(10s + 60s + 900s));
  loss.note_failure(0, at(500s), 0.9);  // the moment stays
  CHECK(loss.direct_from() == at(970s));
  loss.note_answer();
  CHECK(!loss.is_lost());
  CHECK(loss.direct_from() == SteadyTime::max());
}

TEST_CASE("the service's ration says when and how often") {
  ServerLoss loss(ServerFallback::automatic, 1);
  loss.note_schedule(*fleet::FallbackSchedule::parse_header("after=5, spread=100, poll=7"));
  loss.note_failure(0, at(1s), 0.25);
  CHECK(loss.direct_from() == at(31s));
  CHECK(loss.direct_pause() == Duration(7s));
}

TEST_CASE("a server cannot have its clients ask the cloud at once, or once a second") {
  ServerLoss loss(ServerFallback::automatic, 1);
  loss.note_sent_schedule(*fleet::FallbackSchedule::parse_header("after=0, spread=0, poll=1"));
  loss.note_failure(0, at(1s), 0.5);
  CHECK(loss.direct_from() == at(11s));
  CHECK(loss.direct_pause() == Duration(60s));
  ServerLoss late(ServerFallback::automatic, 1);
  late.note_sent_schedule(*fleet::FallbackSchedule::parse_header("after=600, spread=0, poll=3600"));
  late.note_failure(0, at(1s), 0.5);
  CHECK(late.direct_from() == at(601s));
  CHECK(late.direct_pause() == Duration(3600s));
}

TEST_CASE("a client that never falls back does not, and one that falls back at once does at once") {
  ServerLoss never(ServerFallback::never, 1);
  never.note_failure(0, at(1s), 0);
  CHECK((never.is_lost() && never.direct_from() == SteadyTime::max()));
  ServerLoss now(ServerFallback::now, 1);
  now.note_failure(0, at(1s), 0.9);
  CHECK(now.direct_from() == at(1s));
  CHECK(!now.direct_pause());
}
