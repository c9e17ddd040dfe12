// Queued resources through the public calls, against the simulated cloud in virtual time.
#include <catch2/catch.hpp>

#include "resolvers/queued/queued_status.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/target_scheme.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/spec_text.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr const char* multislice_cloud = R"({"zone": "us-west4-a", "queued_resources": [
  {"name": "ms", "slices": 11, "spot": true, "node": {"accelerator_type": "v5litepod-16", "endpoints": {"base": "10.0.0.1"}}},
  {"name": "pair", "slices": 2, "node": {"accelerator_type": "v4-16", "endpoints": {"base": "10.1.0.1"}}},
  {"name": "single", "node_id": "single-node", "node": {"accelerator_type": "v4-8", "endpoints": {"base": "10.2.0.1"}}}]})";

QueuedResourceOptions queued(std::string name) { return QueuedResourceOptions(std::move(name)).project("example-proj").zone("us-west4-a"); }

Failure queued_failure(CloudLoop& t, std::string name) {
  const auto spec = t.run(make_queued_resource_resolver(t.runtime, queued(std::move(name)))->try_cluster_spec());
  REQUIRE(spec.has_error());
  return spec.error();
}

}  // namespace

TEST_CASE("a single node's workers are the request's") {
  CloudLoop t(multislice_cloud);
  const auto resolver = make_queued_resource_resolver(t.runtime, queued("single"));
  CHECK(resolver->describe() == "tpu:qr/single");
  CHECK(t.run(resolver->cluster_spec()).to_json() == R"({"worker":["10.2.0.1:8470"]})");
  CHECK(t.run(resolver->master()) == "grpc://10.2.0.1:8470");
  CHECK(t.asked("queuedResources.get") == 2);
  CHECK(t.asked("nodes.get") == 2);
}

TEST_CASE("slices are merged in the order of their numbers, by one list where they are many") {
  CloudLoop t(multislice_cloud);
  const ClusterSpec spec = t.run(make_queued_resource_resolver(t.runtime, queued("ms"))->cluster_spec());
  CHECK(spec.num_tasks("worker").value() == 44);
  CHECK(spec.task_address("worker", 4).value() == "10.0.0.5:8470");
  CHECK(spec.task_address("worker", 40).value() == "10.0.0.41:8470");  // slice 10 comes last, not after slice 1
  CHECK(t.asked("nodes.list") == 1);
  CHECK(t.asked("nodes.get") == 0);
}

TEST_CASE("one job for each slice, and libtpu's variables for them") {
  CloudLoop t(multislice_cloud);
  const auto resolver = make_queued_resource_resolver(t.runtime, queued("pair").slices(SliceJobs::each));
  const ClusterSpec spec = t.run(resolver->cluster_spec());
  CHECK(spec.to_json() == R"({"worker0":["10.1.0.1:8470","10.1.0.2:8470"],"worker1":["10.1.0.3:8470","10.1.0.4:8470"]})");
  CHECK(t.asked("nodes.get") == 2);
  CHECK(t.run(resolver->master()) == "grpc://10.1.0.1:8470");
  const Result<MegascaleFacts> facts = megascale_facts(spec, 1);
  REQUIRE(facts);
  const std::map<std::string, std::string> variables = {{"MEGASCALE_NUM_SLICES", "2"},
                                                        {"MEGASCALE_SLICE_ID", "1"},
                                                        {"MEGASCALE_COORDINATOR_ADDRESS", "10.1.0.1"},
                                                        {"MEGASCALE_PORT", "8080"}};
  CHECK(facts->environment() == variables);
  CHECK(megascale_facts(spec, 0, 8081)->port == 8081);
  CHECK(megascale_facts(spec, 2).error().code() == Errc::invalid_argument);
  CHECK(megascale_facts(spec, -1).error().code() == Errc::invalid_argument);
  ClusterSpec holes;
  holes.set_job("worker0", {"[fd20::1]:8470"});
  CHECK(megascale_facts(holes, 0)->coordinator_address == "fd20::1");
  holes.set_job("worker1", std::vector<std::string>());
  CHECK(megascale_facts(holes, 0).error().code() == Errc::not_ready);
}

TEST_CASE("accelerators by the slices' type") {
  CloudLoop t(multislice_cloud);
  CHECK(t.run(make_queued_resource_resolver(t.runtime, queued("pair"))->num_accelerators()).to_json() ==
        t.run(make_queued_resource_resolver(t.runtime, queued("single"))->num_accelerators()).to_json());
  CHECK(t.run(make_queued_resource_resolver(t.runtime, queued("ms"))->num_accelerators()).at("TPU") == 4);
}

TEST_CASE("full names, v2alpha1, targets and options") {
  CloudLoop t(multislice_cloud);
  const auto spec = [&t](const std::string& target) { return spec_text(t, t.runtime, target); };
  const std::string single = R"({"worker":["10.2.0.1:8470"]})";
  CHECK(spec("tpu:qr/single,project=example-proj,zone=us-west4-a") == single);
  CHECK(spec("tpu:projects/example-proj/locations/us-west4-a/queuedResources/single") == single);
  CHECK(spec("tpu:qr/single,project=example-proj,zone=us-west4-a,api=v2alpha1") == single);
  CHECK(spec("tpu:qr/single,project=example-proj,zone=us-west4-a,job=w,slices=jobs") == R"({"w0":["10.2.0.1:8470"]})");
  CHECK_THAT(spec("tpu:qr/single,api=v1"), Catch::Contains("version v1 of the API has none"));
  CHECK_THAT(spec("tpu:qr/a/b,project=p,zone=z"), Catch::Contains("'a/b' is not the name of a queued resource"));
  CHECK_THAT(spec("tpu:qr/,project=p,zone=z"), Catch::Contains("no queued resource was named"));
  CHECK_THAT(spec("tpu:qr/single,slices=two"), Catch::Contains("slices='two' is neither merged nor jobs"));
  CHECK_THAT(spec("tpu:qr/single,coordinator=c"), Catch::Contains("coordinator= goes with a TPU"));
  CHECK_THAT(spec("tpu:single,slices=jobs"), Catch::Contains("did you mean tpu:qr/NAME?"));
  CHECK_THAT(spec("tpu:qr/none,project=example-proj,zone=us-west4-a"),
             Catch::Contains("queued resource 'none': ") && Catch::Contains("not found"));
}

TEST_CASE("project and zone come from the metadata server if they are not given") {
  CloudLoop t(multislice_cloud, {{"GCE_METADATA_HOST", "metadata.google.internal"}});
  CHECK(t.run(make_queued_resource_resolver(t.runtime, QueuedResourceOptions("single"))->cluster_spec()).num_tasks("worker").value() == 1);
}

TEST_CASE("every state is explained: its meaning, its initiator, and a hint") {
  CloudLoop t(R"({"zone": "us-west4-a", "queued_resources": [
    {"name": "creating", "state": "CREATING"}, {"name": "accepted", "state": "ACCEPTED"}, {"name": "waiting", "state": "WAITING_FOR_RESOURCES"},
    {"name": "provisioning", "state": "PROVISIONING"}, {"name": "failed", "state": "FAILED",
     "error": {"code": 8, "message": "There is no more capacity.", "details": [{"reason": "STOCKOUT"}]}},
    {"name": "preempted", "spot": true, "state": "SUSPENDED", "initiator": "SERVICE"},
    {"name": "paused", "state": "SUSPENDED", "initiator": "USER"}, {"name": "suspending", "state": "SUSPENDING", "initiator": "SERVICE"},
    {"name": "deleting", "state": "DELETING"}, {"name": "odd", "timeline": [{"at": 0, "raw": {"state": {"state": "RESIZING"}}}]},
    {"name": "mute", "timeline": [{"at": 0, "raw": {"state": null}}]}]})");
  const auto reported = [&t](std::string name) {
    const Failure failure = queued_failure(t, std::move(name));
    CHECK(failure.code() == Errc::not_ready);
    CHECK(failure.last_status() == 200);
    CHECK_THAT(failure.target(), Catch::Contains("/queuedResources/"));
    return failure.what() + " | " + failure.hint();
  };
  CHECK(reported("creating") ==
        "queued resource 'creating' is not ready: its state is CREATING (the service is looking at the request) | "
        "rollcall wait (wait_until_ready) waits for it");
  CHECK_THAT(reported("accepted"),
             Catch::Contains("ACCEPTED (the request is accepted and waits its turn) | it may wait for hours or days"));
  CHECK_THAT(reported("waiting"), Catch::Contains("WAITING_FOR_RESOURCES (it is queued for capacity) | it may wait for hours or days"));
  CHECK_THAT(reported("provisioning"), Catch::Contains("PROVISIONING (capacity was found and its nodes are being made) | rollcall wait"));
  CHECK_THAT(reported("failed"),
             Catch::Contains("FAILED (it failed and will not be tried again): There is no more capacity. (RESOURCE_EXHAUSTED, STOCKOUT) | "
                             "it keeps its share of the quota until you delete it"));
  CHECK_THAT(reported("preempted"),
             Catch::Contains("SUSPENDED (its nodes are gone, by the service: it was preempted) | it keeps its share of the quota"));
  CHECK_THAT(reported("paused"), Catch::Contains("SUSPENDED (its nodes are gone, by a user)"));
  CHECK_THAT(reported("suspending"), Catch::Contains("SUSPENDING (its nodes are going, by the service: it was preempted)"));
  CHECK_THAT(reported("deleting"), Catch::Contains("DELETING (it is being deleted with its nodes)"));
  CHECK_THAT(reported("odd"), Catch::Contains("its state is RESIZING, which is none that is known"));
  CHECK_THAT(reported("mute"), Catch::Contains("the API gives no state"));
  CHECK(t.asked("nodes.get") + t.asked("nodes.list") == 0);
}

TEST_CASE("an ACTIVE request whose nodes are not READY names them all") {
  CloudLoop t(R"({"zone": "us-west4-a", "queued_resources": [
    {"name": "ms", "slices": 3, "stagger": 10, "except": [{"slice": 1, "timeline": [{"at": 30, "state": "PREEMPTED"}, {"at": 40, "state": "DELETED"}]}]},
    {"name": "many", "slices": 20, "stagger": 10}]})");
  const Failure early = queued_failure(t, "ms");
  CHECK(early.code() == Errc::not_ready);
  CHECK(early.what() ==
        "queued resource 'ms' is ACTIVE, but 2 of its 3 slices are not ready: slice 1 (TPU 'ms-1') is CREATING, slice 2 (TPU 'ms-2') is "
        "CREATING");
  CHECK_THAT(early.hint(), Catch::Contains("they are on their way"));
  CHECK_THAT(queued_failure(t, "many").what(),
             Catch::Contains("19 of its 20 slices are not ready") && Catch::Contains("slice 8 (TPU 'many-8') is CREATING and 11 more"));
  t.advance_to(25);
  CHECK(t.run(make_queued_resource_resolver(t.runtime, queued("ms"))->try_cluster_spec()).has_value());
  t.advance_to(35);
  CHECK_THAT(queued_failure(t, "ms").what(), Catch::Contains("slice 1 (TPU 'ms-1') is PREEMPTED"));
  t.advance_to(45);
  const Failure gone = queued_failure(t, "ms");
  CHECK_THAT(gone.what(), Catch::Contains("1 of its 3 slices are not ready: slice 1 (TPU 'ms-1') does not exist"));
  CHECK_THAT(gone.hint(), Catch::Contains("does not come back by itself"));
}

TEST_CASE("an API that contradicts itself about a request is reported as such") {
  CloudLoop t(R"({"zone": "us-west4-a", "queued_resources": [
    {"name": "nameless", "timeline": [{"at": 0, "raw": {"tpu": {}}}]},
    {"name": "twice", "slices": 2, "node": {"endpoints": ["10.0.0.1:8470"]}},
    {"name": "portless", "node": {"endpoints": [{"ip": "10.0.0.1", "port": 0}]}},
    {"name": "broken", "timeline": [{"at": 0, "raw": {"tpu": []}}]},
    {"name": "lost", "zone": "us-east1-d", "slices": 4}], "faults": [{"match": {"route": "nodes.get", "path": "*/denied"}, "status": 403}],
    "unreachable_zones": []})");
  CHECK_THAT(queued_failure(t, "nameless").what(), Catch::Contains("the answer does not name its nodes"));
  CHECK_THAT(queued_failure(t, "twice").what(),
             Catch::Contains("worker 0 of slice 1 (TPU 'twice-1') has the address 10.0.0.1:8470 of another"));
  CHECK_THAT(queued_failure(t, "portless").what(),
             Catch::Contains("queued resource 'portless': TPU 'portless': worker 0 (10.0.0.1) has no port"));
  const Failure broken = queued_failure(t, "broken");
  check_failure(broken, Errc::malformed_response, "queued resource 'broken': the queued resource: tpu is an array, not an object");
}
