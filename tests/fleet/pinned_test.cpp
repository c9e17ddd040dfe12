// Whole places that are followed without clients.
#include "fleet/pinned_places.hpp"

#include "fleet/fleet_support.hpp"
#include "fleet/replicas/replica_loop.hpp"
#include "fleet/rights/rules/right_table.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

FleetPlace project_place(FleetPlace::Kind kind = FleetPlace::Kind::tpu) {
  FleetPlace place;
  place.kind = kind;
  place.project = "example-proj";
  return place;
}

}  // namespace

TEST_CASE("the targets of a place are followed without listeners, and let go when they have gone") {
  fleet::FleetOptions options;
  options.lingering = std::chrono::seconds(90);
  FleetLoop t(R"({"nodes": [{"name": "n{i}", "count": 5, "accelerator_type": "v4-8"},
    {"name": "late", "accelerator_type": "v4-8", "timeline": [{"at": 100, "state": "READY"}]},
    {"name": "brief", "accelerator_type": "v4-8", "timeline": [{"at": 0, "state": "READY"}, {"at": 100, "state": "DELETED"}]}]})",
              options);
  fleet::PinnedPlaces places(t.fleet);
  CHECK(places.is_listed());
  places.follow({project_place()});
  CHECK(!places.is_listed());
  t.pass(20);
  CHECK(places.is_listed());
  CHECK(places.troubles().empty());
  CHECK(places.targets() == 6);
  REQUIRE(t.fleet->topics().size() == 6);
  for (const auto& topic : t.fleet->topics()) {
    INFO(topic->target());
    CHECK(topic->known().status);
    CHECK(topic->listeners() == 0);
  }
  t.pass(180);
  CHECK(places.targets() == 6);
  CHECK(t.tpu("late")->known().status);
  t.pass(120);
  CHECK(t.age(*t.tpu("n0")) < 15);      // as long as it is there
  CHECK(t.age(*t.tpu("brief")) > 30);   // it is not polled any more
}

TEST_CASE("a place costs one list of each kind a minute, however much it holds") {
  FleetLoop t(zone_of(40));
  fleet::PinnedPlaces places(t.fleet);
  places.follow({project_place()});
  t.pass(1);
  CHECK(places.targets() == 40);
  const std::uint64_t begun = t.asked("queuedResources.list");
  t.pass(300);
  CHECK(t.asked("queuedResources.list") - begun >= 4);
  CHECK(t.asked("queuedResources.list") - begun <= 6);
}

TEST_CASE("a place that cannot be listed is reported, and loses nothing") {
  FleetLoop t(zone_of(3, R"(, "faults": [{"match": {"path": "*/queuedResources*"}, "status": 403, "from": "30s", "until": "200s"}])"));
  fleet::PinnedPlaces places(t.fleet);
  FleetPlace elsewhere = project_place();
  elsewhere.zones = {"us-central2-b"};
  places.follow({project_place(), elsewhere});
  t.pass(10);
  CHECK(places.targets() == 6);
  t.pass(90);
  REQUIRE(places.troubles().size() == 2);
  CHECK_THAT(places.troubles().front(), Catch::StartsWith("tpu example-proj: "));
  CHECK(places.targets() == 6);
  t.pass(180);
  CHECK(places.troubles().empty());
}

TEST_CASE("pinned targets count as others do, and those without room are reported") {
  fleet::FleetOptions options;
  options.max_targets = 3;
  FleetLoop t(zone_of(5), options);
  fleet::PinnedPlaces places(t.fleet);
  places.follow({project_place()});
  t.pass(5);
  CHECK(places.targets() == 3);
  REQUIRE(places.troubles().size() == 1);
  CHECK_THAT(places.troubles().front(), Catch::Contains("3 targets are followed already") && Catch::Contains("and so for 1 more"));
}

TEST_CASE("other places are followed instead, and those that stay go on") {
  fleet::FleetOptions options;
  options.lingering = std::chrono::seconds(30);
  FleetLoop t(zone_of(3), options);
  fleet::PinnedPlaces places(t.fleet);
  places.follow({project_place(), project_place()});
  t.pass(5);
  CHECK(places.targets() == 3);  // the same place twice is one
  const std::uint64_t asked = t.asked("queuedResources.list");
  places.follow({project_place(), project_place(FleetPlace::Kind::gce)});
  t.pass(5);
  CHECK(t.asked("queuedResources.list") == asked);
  places.follow({});
  CHECK(places.is_listed());
  t.pass(120);
  CHECK(t.asked("queuedResources.list") == asked);
  CHECK(t.age(*t.tpu("n0")) > 60);
  places.follow({project_place()});
  t.pass(5);
  places.close();
  places.close();
  CHECK(places.targets() == 0);
}

TEST_CASE("a cluster that cannot be found is trouble of its place") {
  FleetLoop t(zone_of(1));
  FleetPlace place;
  place.kind = FleetPlace::Kind::kubernetes;
  place.namespaces = {"train"};
  fleet::PinnedPlaces places(t.fleet);
  places.follow({place});
  t.pass(5);
  CHECK(places.is_listed());
  REQUIRE(places.troubles().size() == 1);
  CHECK_THAT(places.troubles().front(), Catch::StartsWith("kubernetes train: "));
}

TEST_CASE("what a followed cluster holds may be named, of all namespaces too") {
  const auto may_name = [](std::vector<std::string> namespaces, std::string_view target) {
    fleet::RightTable table;
    table.distinguishes_clients = true;
    FleetPlace& place = table.followed.emplace_back();
    place.kind = FleetPlace::Kind::kubernetes;
    place.namespaces = std::move(namespaces);
    return table.is_allowed(value_of(Target::parse(target)));
  };
  CHECK(may_name({"train"}, "kubernetes:train,job.worker=job-name=a"));
  CHECK(!may_name({"train"}, "kubernetes:other,job.worker=job-name=a"));
  CHECK(may_name({"-"}, "kubernetes:other,job.worker=job-name=a"));
  CHECK(!may_name({"-"}, "tpu:other,project=p,zone=z"));
}

TEST_CASE("of several replicas the one that leads lists the places") {
  ReplicaLoop t(zone_of(3), 2);
  std::deque<fleet::PinnedPlaces> places;
  for (const ReplicaLoop::One& one : t.ones) places.emplace_back(one.fleet).follow({project_place()});
  t.pass(20);
  const int first = t.leader();
  REQUIRE(first >= 0);
  CHECK(places[first].targets() == 3);
  CHECK(places[1 - first].targets() == 0);
  CHECK(places[1 - first].is_listed());
  CHECK(t.age(*t.tpu_at(1 - first, "n0")) < 17);
  t.kill(first);
  t.pass(100);
  CHECK(places[1 - first].targets() == 3);
  CHECK(t.age(*t.tpu_at(1 - first, "n0")) < 17);
  for (fleet::PinnedPlaces& one : places) one.close();
  t.pass(2);
}
