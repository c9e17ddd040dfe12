// What `rollcall fleet` says of a service's replicas.
#include <catch2/catch.hpp>

#include "command/show/fleet_text.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

namespace {

FleetReplicas three_replicas() {
  FleetReplicas all;
  all.replica = "rollcall-0-1f2e3d4c";
  all.leader = "rollcall-1-5d0c77a1";
  all.epoch = 1764243000;
  all.leads_since = WallTime(1764243000s);
  all.replicas.resize(3);
  all.replicas[0].replica = all.replica;
  all.replicas[0].view_age = 420ms;
  all.replicas[1].replica = all.leader;
  all.replicas[1].view_age = 0ms;
  all.replicas[2].replica = "rollcall-2-90ab3e5f";
  return all;
}

}  // namespace

TEST_CASE("the first line of a fleet says which replica leads, since when, and how old the views of the others are") {
  CHECK(command::replicas_line(FleetReplicas()).empty());
  FleetReplicas all = three_replicas();
  CHECK(command::replicas_line(all) ==
        "rollcall-1-5d0c77a1 leads since 2025-11-27T11:30:00Z; views: rollcall-0-1f2e3d4c 0.4 s old, rollcall-2-90ab3e5f not known");
  all.leads_since.reset();
  all.trouble = "no replica of the service leads at present";
  all.replicas.resize(1);
  CHECK(command::replicas_line(all) ==
        "rollcall-1-5d0c77a1 leads (rollcall-0-1f2e3d4c does not follow: no replica of the service leads at "
        "present); views: rollcall-0-1f2e3d4c 0.4 s old");
  all.leader.clear();
  CHECK_THAT(command::replicas_line(all), Catch::StartsWith("no replica leads (rollcall-0-1f2e3d4c does not follow"));
}

TEST_CASE("the JSON of a fleet has the replicas where there are any") {
  CHECK(command::fleet_json({}, FleetReplicas(), {}, WallTime()) == "{\"clusters\":[]}\n");
  CHECK_THAT(command::fleet_json({}, three_replicas(), {}, WallTime()),
             Catch::StartsWith("{\"clusters\":[],\"replicas\":{\"replica\":\"rollcall-0-1f2e3d4c\"") &&
                 Catch::EndsWith("\"view_age_ms\":null}]}}\n"));
}
