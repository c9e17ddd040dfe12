// Searches through the public call, against the simulated cloud in virtual time.
#include "discover/discover_support.hpp"
#include "discover/discovery.hpp"
#include "rollcall/resolver.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* mixed_cloud = R"({"zone": "us-central2-b", "zones": ["us-west4-a"], "nodes": [
    {"name": "trainer", "accelerator_type": "v4-16", "endpoints": {"base": "10.0.0.1"}},
    {"name": "young", "accelerator_type": "v4-32", "state": "CREATING"},
    {"name": "far", "zone": "us-west4-a", "accelerator_type": "v5litepod-4", "health": "UNHEALTHY_MAINTENANCE", "endpoints": ["[fd20::1]:8470"]}],
  "queued_resources": [{"name": "ms", "slices": 2, "node": {"accelerator_type": "v4-8", "endpoints": {"base": "10.1.0.1"}}},
    {"name": "waiting", "zone": "us-west4-a", "state": "WAITING_FOR_RESOURCES"}],
  "compute": {"instances": [{"name": "w-{i}", "count": 3}, {"name": "r", "zone": "us-west4-a"}],
    "groups": [{"name": "workers", "instances": ["w-*"], "named_ports": {"grpc": 8470}}, {"name": "regional", "region": "us-west4"}]}})";

DiscoverOptions here() { return DiscoverOptions().projects({"example-proj"}); }

}  // namespace

TEST_CASE("everything in all zones is found by three lists") {
  CloudLoop t(mixed_cloud);
  const Finds finds = search(t, here());
  CHECK(finds.missing.empty());
  CHECK(finds.names() ==
        "instance-group regional, instance-group workers, queued-resource ms, queued-resource waiting, tpu far, tpu ms-0, tpu ms-1, tpu "
        "trainer, tpu young");
  CHECK(t.cloud->total() == 3);
  const Found& trainer = finds.of("trainer");
  CHECK(trainer.target == "tpu:trainer,project=example-proj,zone=us-central2-b");
  CHECK(trainer.state == "READY");
  CHECK(trainer.health == "HEALTHY");
  CHECK(trainer.accelerator_type == "v4-16");
  CHECK(trainer.members == 2);
  CHECK(trainer.addresses == std::vector<std::string>{"10.0.0.1:8470", "10.0.0.2:8470"});
  CHECK(finds.of("young").state == "CREATING");
  CHECK(finds.of("young").members == 4);
  CHECK(finds.of("young").addresses.empty());
  CHECK(finds.of("far").zone == "us-west4-a");
  CHECK(finds.of("far").addresses == std::vector<std::string>{"[fd20::1]:8470"});
  CHECK(finds.of("ms-1").queued_resource == "ms");
  CHECK(finds.of("ms").target == "tpu:qr/ms,project=example-proj,zone=us-central2-b");
  CHECK(finds.of("ms").members == 2);
  CHECK(finds.of("ms").accelerator_type == "v4-8");
  CHECK(finds.of("waiting").state == "WAITING_FOR_RESOURCES");
  CHECK(finds.of("workers").target == "gce:workers,project=example-proj,zone=us-central2-b,named_port=grpc");
  CHECK(finds.of("workers").members == 3);
  CHECK(finds.of("regional").target == "gce:regional,project=example-proj,region=us-west4,port=8470");
}

TEST_CASE("every target that is found can be resolved, unless it is not ready") {
  CloudLoop t(mixed_cloud);
  for (const Found& found : search(t, here()).found) {
    INFO(found.target);
    const auto resolver = make_resolver(t.runtime, found.target);
    REQUIRE(resolver);
    const auto spec = t.run((*resolver)->try_cluster_spec());
    if (found.name == "young" || found.name == "waiting") {
      CHECK(spec.error().code() == Errc::not_ready);
    } else {
      REQUIRE(spec);
      CHECK(spec->num_tasks(spec->jobs().front()).value() == static_cast<int>(found.members));
    }
  }
}

TEST_CASE("a TPU whose name has another meaning in a target is found by its full name") {
  CloudLoop t(R"({"zone": "us-central2-b", "nodes": [{"name": "local"}, {"name": "localhost:8470"}, {"name": "qr"}, {"name": "projects"}],
    "queued_resources": [{"name": "local", "node_id": "grpc:x"}]})");
  const Finds finds = search(t, here());
  CHECK(finds.found.size() == 6);
  for (const Found& found : finds.found) {
    INFO(found.target);
    const auto resolver = make_resolver(t.runtime, found.target);
    REQUIRE(resolver);
    const auto spec = t.run((*resolver)->try_cluster_spec());
    REQUIRE(spec);
    CHECK(spec->num_tasks("worker").value() == 1);
    if (found.name == "local" && found.kind == FoundKind::tpu)
      CHECK(found.target == "tpu:projects/example-proj/locations/us-central2-b/nodes/local");
    if (found.name == "qr") CHECK(found.target == "tpu:qr,project=example-proj,zone=us-central2-b");
  }
}

TEST_CASE("zones by name, kinds and filters") {
  CloudLoop t(mixed_cloud);
  CHECK(search(t, here().zones({"us-west4-a"})).names() == "instance-group regional, queued-resource waiting, tpu far");
  CHECK(search(t, here().zones({"us-west4-a", "-"}).kinds({FoundKind::tpu})).names() ==
        "tpu far, tpu ms-0, tpu ms-1, tpu trainer, tpu young");
  const std::uint64_t before = t.cloud->total();
  CHECK(search(t, here().filter("kind=tpu").filter("state!=READY+DELETING")).names() == "tpu young");
  CHECK(t.cloud->total() == before + 1);  // the other lists need no request
  CHECK(search(t, here().filter("type=v4-8*").filter("name=*-1")).names() == "tpu ms-1");
  CHECK(search(t, here().filter("queued_resource=ms")).names() == "tpu ms-0, tpu ms-1");
  CHECK(search(t, here().filter("zone=us-west4*").filter("health=")).names() == "instance-group regional, queued-resource waiting");
  CHECK(
      search(t, here().api_version(TpuApiVersion::v1).kinds({FoundKind::tpu, FoundKind::queued_resource}).filter("name=trainer")).names() ==
      "tpu trainer");
}

TEST_CASE("an invalid option is the stream's only item") {
  CloudLoop t(mixed_cloud);
  const auto reported = [&t](DiscoverOptions options) {
    const Finds finds = search(t, std::move(options));
    CHECK(finds.found.empty());
    REQUIRE(finds.missing.size() == 1);
    CHECK(finds.missing.front().code() == Errc::invalid_argument);
    return finds.missing.front().what() + " | " + finds.missing.front().hint();
  };
  CHECK_THAT(reported(here().filter("stat=READY")), Catch::Contains("the filter 'stat=READY' has no known key | did you mean state=?"));
  CHECK_THAT(reported(here().filter("READY")), Catch::Contains("is not KEY=PATTERN | keys are kind, name"));
  CHECK_THAT(reported(DiscoverOptions().projects({"a/b"})), Catch::Contains("'a/b' is not a project"));
  CHECK_THAT(reported(here().zones({"a b"})), Catch::Contains("'a b' is not a zone"));
  CHECK(t.cloud->total() == 0);
}

TEST_CASE("the project comes from the environment, or the metadata server") {
  CloudLoop named(mixed_cloud, {{"GOOGLE_CLOUD_PROJECT", "example-proj"}});
  CHECK(search(named, DiscoverOptions().kinds({FoundKind::queued_resource})).found.size() == 2);
  CloudLoop asked(mixed_cloud, {{"GCE_METADATA_HOST", "metadata.google.internal"}});
  CHECK(search(asked, DiscoverOptions().kinds({FoundKind::queued_resource})).found.size() == 2);
}

TEST_CASE("five thousand TPUs take five requests, and no more of them are in memory than the buffer holds") {
  CloudLoop t(R"({"nodes": [{"name": "n-{i}", "count": 5000}]})");
  const Finds finds = search(t, here().kinds({FoundKind::tpu}));
  CHECK(finds.found.size() == 5000);
  CHECK(t.asked("nodes.list") == 5);
  // A slow reader: the requests stop when the buffer is full.
  CloudLoop slow(R"({"nodes": [{"name": "n-{i}", "count": 5000}]})");
  const auto stream = discover(slow.runtime, here().kinds({FoundKind::tpu}).max_buffered(10));
  const auto first = slow.run(stream->next());
  REQUIRE(first.has_value());
  CHECK(slow.asked("nodes.list") == 1);
  CHECK(slow.run(read_all(stream)).found.size() == 4999);
  CHECK(slow.asked("nodes.list") == 5);
}

TEST_CASE("missing parts are reported, and the rest is found") {
  CloudLoop t(R"({"unreachable_zones": ["us-east1-d"], "nodes": [{"name": "n-{i}", "count": 3}, {"name": "lost", "zone": "us-east1-d"}],
    "compute": {"groups": [{"name": "g", "instances": []}]},
    "faults": [{"match": {"route": "queuedResources.list"}, "status": 403},
               {"match": {"route": "nodes.list", "query": {"pageToken": "*"}}, "status": 400}], "api": {"max_page_size": 2}})");
  const Finds finds = search(t, here());
  CHECK(finds.names() == "instance-group g, tpu n-0, tpu n-1");
  std::string reported;
  for (const Failure& failure : finds.missing) reported += failure.what() + "\n";
  CHECK_THAT(reported, Catch::Contains("TPUs of project 'example-proj', all zones: 'us-east1-d' did not answer"));
  CHECK_THAT(reported, Catch::Contains("the 1 pages before it list was found"));
  CHECK_THAT(reported, Catch::Contains("queued resources of project 'example-proj', all zones: "));
  CHECK_THAT(reported, Catch::Contains("instance groups of project 'example-proj', all zones: the list is incomplete: UNREACHABLE"));
  CHECK(finds.missing.size() == 4);
  CloudLoop picky(R"({"faults": [{"match": {"path": "*/locations/-/*"}, "status": 400}]})");
  const Finds refused = search(picky, here().kinds({FoundKind::tpu}));
  REQUIRE(refused.missing.size() == 1);
  CHECK(refused.missing.front().hint() == "name the zones");
  CloudLoop other(R"({"nodes": [{"name": "n"}]})");
  const Finds two = search(other, DiscoverOptions().projects({"nobody", "example-proj"}).kinds({FoundKind::tpu}));
  CHECK(two.names() == "tpu n");
  REQUIRE(two.missing.size() == 1);
  CHECK(two.missing.front().code() == Errc::permission_denied);
}

TEST_CASE("the deadline ends the search with the finds so far, and is reported") {
  CloudLoop t(R"({"nodes": [{"name": "n"}], "faults": [{"match": {"route": "queuedResources.list"}, "fault": "stall"}]})");
  const Finds finds = search(t, here().kinds({FoundKind::tpu, FoundKind::queued_resource}), CallOptions().timeout(5s));
  CHECK(finds.names() == "tpu n");
  REQUIRE(finds.missing.size() == 1);
  CHECK(finds.missing.front().code() == Errc::deadline_exceeded);
  CHECK(t.seconds() == 5);
}

TEST_CASE("a stream that is dropped ends its search; a cancelled wait loses nothing") {
  CloudLoop t(R"({"nodes": [{"name": "n-{i}", "count": 5}], "faults": [{"match": {"route": "nodes.list"}, "delay": "10s"}]})");
  auto stream = discover(t.runtime, here().kinds({FoundKind::tpu}));
  auto waiting = t.start(stream->try_next());
  waiting.cancel();
  REQUIRE(t.finish(waiting));
  CHECK(waiting.value().error().code() == Errc::cancelled);
  CHECK(t.run(read_all(stream)).found.size() == 5);
  auto dropped = discover(t.runtime, here().kinds({FoundKind::tpu}));
  t.poll();
  CHECK(t.asked("nodes.list") == 2);
  dropped.reset();
  t.poll();
  CHECK_FALSE(t.time->next_alarm().has_value());
  auto full = discover(t.runtime, here().kinds({FoundKind::tpu}).max_buffered(1));
  CHECK(t.run(full->next()).has_value());
  full.reset();
  t.poll();
  CHECK_FALSE(t.time->next_alarm().has_value());
}

TEST_CASE("a second reader of a stream is refused, and the first one goes on") {
  CloudLoop t(R"({"nodes": [{"name": "n-{i}", "count": 2}], "faults": [{"match": {"route": "nodes.list"}, "delay": "10s"}]})");
  const auto stream = discover(t.runtime, here().kinds({FoundKind::tpu}));
  auto first = t.start(stream->try_next());
  t.poll();
  check_failure(t.run(stream->try_next()), Errc::invalid_argument, "there is one at a time");
  REQUIRE(t.finish(first));
  CHECK(first.value());
  CHECK(t.run(read_all(stream)).found.size() == 1);
}

TEST_CASE("lists are read concurrently, up to the options' limit") {
  const std::string delays = R"({"nodes": [{"name": "a"}, {"name": "b", "zone": "us-west4-a"}, {"name": "c", "zone": "us-east1-d"},
    {"name": "d", "zone": "us-east5-a"}], "faults": [{"match": {"route": "nodes.list"}, "delay": "1s"}]})";
  const std::vector<std::string> zones = {"us-central2-b", "us-west4-a", "us-east1-d", "us-east5-a"};
  CloudLoop wide(delays);
  CHECK(search(wide, here().kinds({FoundKind::tpu}).zones(zones)).found.size() == 4);
  CHECK(wide.seconds() == 1);
  CloudLoop narrow(delays);
  CHECK(search(narrow, here().kinds({FoundKind::tpu}).zones(zones).lists_in_flight(2)).found.size() == 4);
  CHECK(narrow.seconds() == 2);
}

TEST_CASE("one 429 slows every request to the host") {
  CloudLoop t(R"({"nodes": [{"name": "n-{i}", "count": 40, "zone": "us-central2-b"}], "zones": ["a-1", "a-2"],
    "faults": [{"match": {"route": "nodes.list", "path": "*/a-1/*"}, "status": 429, "headers": {"Retry-After": "20"}, "times": 1}]})");
  const Finds finds = search(t, here().kinds({FoundKind::tpu}).zones({"a-1", "us-central2-b", "a-2"}).lists_in_flight(1));
  CHECK(finds.found.size() == 40);
  CHECK(t.seconds() >= 20);
  CloudLoop side(R"({"nodes": [{"name": "n", "zone": "us-central2-b"}],
    "faults": [{"match": {"route": "queuedResources.list"}, "status": 429, "headers": {"Retry-After": "20"}, "times": 1},
               {"match": {"route": "nodes.list"}, "delay": "1s"}]})");
  const auto stream = discover(side.runtime, here().kinds({FoundKind::queued_resource}));
  side.poll();
  const Finds later = search(side, here().kinds({FoundKind::tpu}));
  CHECK(later.found.size() == 1);
  CHECK(side.seconds() >= 20);  // although its own request would have been answered
}
