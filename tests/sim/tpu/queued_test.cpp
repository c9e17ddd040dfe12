// Queued resources, their nodes, and preemption and maintenance by a worker's own metadata server.
#include "sim/file/file.hpp"
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {

std::string queued_path(std::string_view rest = "", std::string_view version = "v2") {
  return "/" + std::string(version) + "/projects/example-proj/locations/us-central2-b/queuedResources" + std::string(rest);
}

std::string wrong_queued(const std::string& rest) {
  const auto cloud = Cloud::parse("{\"queued_resources\": [\n{\"name\": \"q\"" + (rest.empty() ? "" : ", " + rest) + "}]}", "cloud.json");
  return cloud ? "accepted" : cloud.error().what();
}

}  // namespace

TEST_CASE("a queued resource has the form of the real API") {
  const auto cloud = cloud_of(R"({"zone": "us-west4-a", "queued_resources": [
    {"name": "ms", "slices": 2, "spot": true, "create_time": "2026-10-04T07:00:00Z", "queueing_policy": {"validUntilDuration": "21600s"},
     "node": {"accelerator_type": "v5litepod-16", "runtime_version": "v2-alpha-tpuv5-lite"}},
    {"name": "job10", "node_id": "job10-node", "guaranteed": {"minDuration": "3600s"}, "state": "ACCEPTED",
     "reservation_name": "projects/example-proj/locations/us-west4-a/reservations/r1"},
    {"name": "job8", "state": "FAILED"},
    {"name": "old", "best_effort": true, "slices": 2}]})");
  const auto path = [](std::string name, std::string version) {
    return "/" + version + "/projects/example-proj/locations/us-west4-a/queuedResources/" + name;
  };
  CHECK(text_of(json_of(ask_api(*cloud, path("ms", "v2")))) ==
        R"({"name":"projects/example-proj/locations/us-west4-a/queuedResources/ms","createTime":"2026-10-04T07:00:00Z","tpu":{"nodeSpec":[)"
        R"({"parent":"projects/example-proj/locations/us-west4-a","multisliceParams":{"nodeCount":2,"nodeIdPrefix":"ms"},)"
        R"("node":{"acceleratorType":"v5litepod-16","runtimeVersion":"v2-alpha-tpuv5-lite"}}]},"spot":{},)"
        R"("queueingPolicy":{"validUntilDuration":"21600s"},"state":{"state":"ACTIVE","activeData":{}}})");
  const auto reserved = json_of(ask_api(*cloud, path("job10", "v2")));
  CHECK(text_of(reserved.at("state")) == R"({"state":"ACCEPTED","acceptedData":{}})");
  CHECK(text_of(reserved.at("guaranteed")) == R"({"minDuration":"3600s"})");
  CHECK(reserved.at("reservationName").as_string().ends_with("/reservations/r1"));
  CHECK(reserved.at("tpu").at("nodeSpec").at(0).at("nodeId") == "job10-node");
  CHECK(text_of(json_of(ask_api(*cloud, path("job10", "v2alpha1"))).at("guaranteed")) == R"({"minDuration":"3600s","reserved":true})");
  const auto failed = json_of(ask_api(*cloud, path("job8", "v2")));
  CHECK(failed.at("state").at("failedData").at("error").at("code") == 8);
  CHECK(failed.at("state").at("failedData").at("error").at("message") ==
        "There is no more capacity in the zone \"us-west4-a\"; you can try in another zone.");
  const auto alpha = json_of(ask_api(*cloud, path("old", "v2alpha1")));
  CHECK(text_of(alpha.at("bestEffort")) == "{}");
  CHECK(text_of(alpha.at("tpu").at("nodeSpec").at(0).at("multiNodeParams")) ==
        R"({"nodeCount":2,"nodeIdPrefix":"old","workloadType":"THROUGHPUT_OPTIMIZED"})");
  CHECK_FALSE(json_of(ask_api(*cloud, path("old", "v2"))).as_object().contains("bestEffort"));
  CHECK(ask_api(*cloud, path("ms", "v1")).status == 404);
  CHECK(ask_api(*cloud, path("none", "v2")).status == 404);
  CHECK(text_of(json_of(ask_api(*cloud, path("ms", "v2") + "?fields=state/state,tpu(nodeSpec(multisliceParams))"))) ==
        R"({"tpu":{"nodeSpec":[{"multisliceParams":{"nodeCount":2,"nodeIdPrefix":"ms"}}]},"state":{"state":"ACTIVE"}})");
  CHECK(ask_api(*cloud, path("ms", "v2") + "?fields=tpu(nodeSpec(multiNodeParams))").status == 400);
}

TEST_CASE("a request's nodes are created and deleted by its states") {
  const auto cloud = cloud_of(R"({"queued_resources": [{"name": "ms", "slices": 2, "spot": true,
    "node": {"accelerator_type": "v4-16", "endpoints": {"base": "10.1.0.1"}}, "stagger": 3,
    "except": [{"slice": 1, "timeline": [{"at": 90, "state": "REPAIRING"}, {"at": 95, "state": "READY"}]}],
    "timeline": [{"at": 0, "state": "ACCEPTED"}, {"at": 5, "state": "WAITING_FOR_RESOURCES"}, {"at": 60, "state": "PROVISIONING"},
      {"at": 80, "state": "ACTIVE"}, {"at": 100, "state": "SUSPENDING", "initiator": "SERVICE"},
      {"at": 110, "state": "SUSPENDED", "initiator": "SERVICE"}, {"at": 120, "state": "PROVISIONING"}, {"at": 130, "state": "ACTIVE"},
      {"at": 140, "state": "DELETING"}, {"at": 150, "state": "DELETED"}]}]})");
  const auto state = [&](double at) { return text_of(json_of(ask_api(*cloud, queued_path("/ms"), at)).at("state")); };
  CHECK(state(0) == R"({"state":"ACCEPTED","acceptedData":{}})");
  CHECK(state(5) == R"({"state":"WAITING_FOR_RESOURCES"})");
  CHECK(state(60) == R"({"state":"PROVISIONING","provisioningData":{}})");
  CHECK(state(110) == R"({"state":"SUSPENDED","suspendedData":{},"stateInitiator":"SERVICE"})");
  CHECK(state(140) == R"({"state":"DELETING","deletingData":{}})");
  CHECK(ask_api(*cloud, queued_path("/ms"), 150).status == 404);
  CHECK(ask_api(*cloud, queued_path(), 150).body == "{}\n");

  const auto node = [&](std::string_view name, double at) { return json_of(ask_api(*cloud, nodes_path(name), at)); };
  CHECK(ask_api(*cloud, nodes_path("/ms-0"), 59).status == 404);
  CHECK(node("/ms-0", 60).at("state") == "CREATING");
  CHECK(node("/ms-0", 80).at("state") == "READY");
  CHECK(node("/ms-1", 80).at("state") == "CREATING");  // although the request is ACTIVE
  const auto second_slice = node("/ms-1", 83);
  CHECK(second_slice.at("state") == "READY");
  CHECK(second_slice.at("multisliceNode") == true);
  CHECK(second_slice.at("queuedResource") == "projects/example-proj/locations/us-central2-b/queuedResources/ms");
  CHECK(second_slice.at("networkEndpoints").at(0).at("ipAddress") == "10.1.0.3");
  CHECK(text_of(second_slice.at("schedulingConfig")) == R"({"spot":true})");
  CHECK(node("/ms-1", 90).at("state") == "REPAIRING");
  CHECK(node("/ms-1", 95).at("state") == "READY");
  CHECK(node("/ms-0", 100).at("state") == "PREEMPTED");
  CHECK(ask_api(*cloud, nodes_path("/ms-0"), 110).status == 404);
  CHECK(node("/ms-0", 130).at("state") == "READY");
  CHECK(node("/ms-0", 130).at("id") != node("/ms-0", 80).at("id"));
  CHECK(node("/ms-0", 140).at("state") == "DELETING");
  CHECK(ask_api(*cloud, nodes_path("/ms-0"), 150).status == 404);
}

TEST_CASE("the short form of a timeline, and lists") {
  const auto cloud = cloud_of(R"({"unreachable_zones": ["us-east1-d"], "queued_resources": [
    {"name": "b", "provisioning_after": 10, "active_after": 30}, {"name": "a", "active_after": 0}, {"name": "far", "zone": "us-west4-a"},
    {"name": "lost", "zone": "us-east1-d"}]})");
  const auto state = [&](double at) { return json_of(ask_api(*cloud, queued_path("/b"), at)).at("state").at("state"); };
  CHECK(state(0) == "WAITING_FOR_RESOURCES");
  CHECK(state(10) == "PROVISIONING");
  CHECK(state(30) == "ACTIVE");
  CHECK(ask_api(*cloud, nodes_path("/a")).status == 200);
  const auto first = json_of(ask_api(*cloud, queued_path("?pageSize=1")));
  REQUIRE(first.at("queuedResources").as_array().size() == 1);
  CHECK(first.at("queuedResources").at(0).at("name").as_string().ends_with("/a"));
  const auto second_page =
      json_of(ask_api(*cloud, queued_path("?pageSize=1&pageToken=" + std::string(first.at("nextPageToken").as_string()))));
  CHECK(second_page.at("queuedResources").at(0).at("name").as_string().ends_with("/b"));
  CHECK_FALSE(second_page.as_object().contains("nextPageToken"));
  const auto all = json_of(ask_api(*cloud, "/v2/projects/example-proj/locations/-/queuedResources"));
  CHECK(all.at("queuedResources").as_array().size() == 3);
  CHECK(text_of(all.at("unreachable")) == R"(["projects/example-proj/locations/us-east1-d"])");
  CHECK(ask_api(*cloud, "/v2/projects/example-proj/locations/us-east1-d/queuedResources").status == 503);
  CHECK(ask_api(*cloud, queued_path("?filter=x")).status == 400);
  CHECK(ask_api(*cloud, queued_path("?pageToken=x")).status == 400);
  CHECK(cloud->counts().at("queuedResources.list") > 1);
  const auto discovery = json_of(ask_api(*cloud, "/$discovery/rest?version=v2"));
  CHECK(discovery.at("resources").at("projects").at("resources").at("locations").at("resources").as_object().contains("queuedResources"));
  CHECK_FALSE(discovery.at("schemas").at("ListQueuedResourcesResponse").at("properties").as_object().empty());
}

TEST_CASE("errors in queued resources have a position") {
  CHECK(wrong_queued(R"("state": "WAITING")").find("cloud.json:2:24: queued_resources[0].state: unknown state 'WAITING'") == 0);
  CHECK(wrong_queued(R"("timeline": [{"state": "ACTIV"}])")
            .find("queued_resources[0].timeline[0].state: unknown state 'ACTIV', did you mean 'ACTIVE'?") != std::string::npos);
  CHECK(wrong_queued(R"("timeline": [{"at": 1}, {"at": 1}])").find("queued_resources[0].timeline[1]: at: each entry must be later") !=
        std::string::npos);
  CHECK(wrong_queued(R"("timeline": [{"error": "no"}])").find("error: only FAILED has one") != std::string::npos);
  CHECK(wrong_queued(R"("state": "ACTIVE", "error": "no")").find("error: only FAILED has one") != std::string::npos);
  CHECK(wrong_queued(R"("state": "ACTIVE", "active_after": 1)").find("give state, timeline, or") != std::string::npos);
  CHECK(wrong_queued(R"("state": "ACTIVE", "timeline": [{}])").find("give state, timeline, or") != std::string::npos);
  CHECK(wrong_queued(R"("initiator": "SERVICE")").find("they go with a state") != std::string::npos);
  CHECK(wrong_queued(R"("spot": true, "guaranteed": true)").find("it is one of them") != std::string::npos);
  CHECK(wrong_queued(R"("slices": 2, "node_id": "x")").find("node_id: slices have a node_id_prefix") != std::string::npos);
  CHECK(wrong_queued(R"("node_id_prefix": "x")").find("node_id_prefix: goes with slices") != std::string::npos);
  CHECK(wrong_queued(R"("slices": 0)").find("slices: expected a whole number from 1 to 1024") != std::string::npos);
  CHECK(wrong_queued(R"("slices": 2, "except": [{"slice": 2}])").find("except[0]: slice: there are 2, counted from 0") !=
        std::string::npos);
  CHECK(wrong_queued(R"("node": {"name": "x"})").find("queued_resources[0].node.name: unknown key") != std::string::npos);
  CHECK(wrong_queued(R"("node": {"accelerator_type": "v99-8"})").find("node: accelerator_type: ") != std::string::npos);
  CHECK(wrong_queued(R"("slices": 3, "node": {"accelerator_type": "v4-16", "endpoints": {"base": "10.255.255.252"}})")
            .find("has no 6 addresses from there on") != std::string::npos);
  CHECK(wrong_queued("\"slices\": 1},\n{\"name\": \"q\"").find("cloud.json:3:1: queued_resources[1]: there are two queued resources '") ==
        0);
  CHECK(wrong_queued("\"slices\": 2},\n{\"name\": \"q-1\"").find("cloud.json:3:1: queued_resources[1]: there are two nodes '") == 0);
  CHECK(wrong_queued("").find("accepted") == 0);
}

TEST_CASE("a worker's metadata server reports its node's preemption and maintenance") {
  const auto cloud = cloud_of(R"({"queued_resources": [{"name": "ms", "slices": 3, "spot": true,
    "timeline": [{"at": 0, "state": "ACTIVE"}, {"at": 60, "state": "SUSPENDING", "initiator": "SERVICE"}, {"at": 70, "state": "SUSPENDED"}],
    "except": [{"slice": 1, "timeline": [
      {"at": 10, "upcoming_maintenance": {"type": "SCHEDULED", "windowStartTime": "2026-01-02T00:00:00Z"}},
      {"at": 20, "state": "REPAIRING", "health": "UNHEALTHY_MAINTENANCE", "upcoming_maintenance": {}}, {"at": 30, "state": "READY"}]}]}],
    "metadata": {"tpu_worker": {"node": "ms-1", "worker": 0}}})");
  const auto value = [&](std::string path, double at) { return ask_metadata(*cloud, "instance/" + path, at).body; };
  CHECK(value("preempted", 59) == "FALSE");
  CHECK(value("preempted", 60) == "TRUE");
  CHECK(value("preempted", 70) == "TRUE");
  CHECK(value("maintenance-event", 19) == "NONE");
  CHECK(value("maintenance-event", 20) == "TERMINATE_ON_HOST_MAINTENANCE");
  CHECK(value("maintenance-event", 30) == "NONE");
  CHECK(value("maintenance-event", 60) == "NONE");
  CHECK(value("upcoming-maintenance?alt=json", 10) == R"({"type":"SCHEDULED","windowStartTime":"2026-01-02T00:00:00Z"})");
  CHECK(value("upcoming-maintenance", 20) == "NONE");
  CHECK(value("scheduling/preemptible", 0) == "TRUE");
  const std::string env = value("attributes/tpu-env", 0);
  CHECK(env.find("MEGASCALE_COORDINATOR_ADDRESS: '10.128.0.10'\nMEGASCALE_NUM_SLICES: '3'\nMEGASCALE_SLICE_ID: '1'\n") !=
        std::string::npos);
  CHECK(json_of(ask_api(*cloud, nodes_path("/ms-1", "v2alpha1"), 10)).at("upcomingMaintenance").at("type") == "SCHEDULED");
  CHECK_FALSE(json_of(ask_api(*cloud, nodes_path("/ms-1", "v2alpha1"), 20)).as_object().contains("upcomingMaintenance"));
}

}  // namespace rollcall::sim
