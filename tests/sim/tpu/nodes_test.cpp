// The Cloud TPU API's nodes: versions, life cycles, lists.
#include <algorithm>

#include "sim/support.hpp"

namespace rollcall::sim {

TEST_CASE("a node has the form of the real API") {
  const auto cloud = cloud_of(
      R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-32", "endpoints": {"base": "10.130.0.26", "external_base": "203.0.113.26"},
    "preemptible": true, "id": "4611686018427387999", "cidr_block": "10.130.0.0/20"}]})");
  const Reply reply = ask_api(*cloud, nodes_path("/trainer"));
  REQUIRE(reply.status == 200);
  CHECK(header(reply, "Content-Type") == "application/json; charset=UTF-8");
  CHECK(reply.body.starts_with(
      "{\n  \"name\": \"projects/example-proj/locations/us-central2-b/nodes/trainer\",\n  \"acceleratorType\": \"v4-32\",\n"));
  const auto node = json_of(reply);
  CHECK(node.at("state") == "READY");
  CHECK(node.at("health") == "HEALTHY");
  CHECK(node.at("apiVersion") == "V2");
  CHECK(node.at("id") == "4611686018427387999");
  CHECK(text_of(node.at("acceleratorConfig")) == R"({"type":"V4","topology":"2x2x4"})");
  CHECK(text_of(node.at("schedulingConfig")) == R"({"preemptible":true})");
  CHECK(text_of(node.at("serviceAccount")) ==
        R"({"email":"tpu-runner@example-proj.iam.gserviceaccount.com","scope":["https://www.googleapis.com/auth/cloud-platform"]})");
  const auto& endpoints = node.at("networkEndpoints").as_array();
  REQUIRE(endpoints.size() == 4);
  CHECK(text_of(endpoints[3]) == R"({"ipAddress":"10.130.0.29","port":8470,"accessConfig":{"externalIp":"203.0.113.29"}})");
}

TEST_CASE("v1 differs in addresses, ports, software and service account") {
  const auto cloud = cloud_of(R"({"nodes": [{"name": "pod", "accelerator_type": "v3-32", "runtime_version": "2.4.0"},
    {"name": "old", "accelerator_type": "v2-8", "legacy_address": true, "endpoints": ["10.240.1.2"]}]})");
  const auto pod = json_of(ask_api(*cloud, nodes_path("/pod", "v1")));
  CHECK(pod.at("ipAddress") == "10.128.0.10");
  CHECK(pod.at("port") == "8470");
  CHECK(pod.at("tensorflowVersion") == "2.4.0");
  CHECK(pod.at("serviceAccount").is_string());
  CHECK(pod.at("apiVersion") == "V1");
  CHECK(pod.at("networkEndpoints").as_array().size() == 4);
  CHECK(pod.at("networkEndpoints").as_array()[0].at("port") == 8470);
  CHECK_FALSE(pod.as_object().contains("id"));
  CHECK_FALSE(pod.as_object().contains("acceleratorConfig"));
  const auto old = json_of(ask_api(*cloud, nodes_path("/old", "v1")));
  CHECK(old.at("ipAddress") == "10.240.1.2");
  CHECK_FALSE(old.as_object().contains("networkEndpoints"));
  CHECK(json_of(ask_api(*cloud, nodes_path("/old", "v2alpha1"))).at("apiVersion") == "V2_ALPHA1");
}

TEST_CASE("a node's life follows its timeline") {
  const auto cloud = cloud_of(R"({"nodes": [{"name": "n", "timeline": [
    {"at": 0, "state": "CREATING"}, {"at": "1500ms", "state": "CREATING", "endpoints": 1}, {"at": 10, "state": "READY"}, {"at": 20, "state": "REPAIRING", "health": "TIMEOUT"},
    {"at": 30, "state": "PREEMPTED"}, {"at": 40, "state": "DELETED"}, {"at": 50, "state": "READY"}]}, {"name": "late", "ready_after": "2m"}]})");
  const auto at = [&](double s) { return json_of(ask_api(*cloud, nodes_path("/n"), s)); };
  CHECK(at(0).at("state") == "CREATING");
  CHECK_FALSE(at(0).as_object().contains("networkEndpoints"));
  CHECK_FALSE(at(0).as_object().contains("health"));
  CHECK(at(1.5).at("networkEndpoints").as_array().size() == 1);
  CHECK(at(9.999).at("state") == "CREATING");
  CHECK(at(10).at("state") == "READY");
  CHECK(at(10).at("health") == "HEALTHY");
  CHECK(at(25).at("health") == "TIMEOUT");
  CHECK(at(30).at("state") == "PREEMPTED");
  CHECK(at(30).at("healthDescription") == "The TPU was preempted.");
  CHECK(ask_api(*cloud, nodes_path("/n"), 40).status == 404);
  CHECK(json_of(ask_api(*cloud, nodes_path(), 40)).at("nodes").as_array().size() == 1);
  CHECK(at(50).at("state") == "READY");
  CHECK(at(50).at("id") != at(10).at("id"));
  CHECK(json_of(ask_api(*cloud, nodes_path("/late"), 119)).at("state") == "CREATING");
  CHECK(json_of(ask_api(*cloud, nodes_path("/late"), 120)).at("state") == "READY");
}

TEST_CASE("the health of an entry applies whenever the node is ready, for any reason") {
  const auto cloud = cloud_of(R"({"nodes": [
    {"name": "later", "health": "TIMEOUT", "health_description": "why", "ready_after": 10},
    {"name": "scripted", "health": "TIMEOUT", "timeline": [{"at": 0, "state": "READY"}, {"at": 5, "health": "HEALTHY"}, {"at": 10, "state": "REPAIRING"},
      {"at": 15, "state": "READY"}, {"at": 20, "state": "READY", "health": "HEALTHY"}]}],
    "queued_resources": [{"name": "qr", "active_after": 10, "node": {"health": "TIMEOUT", "health_description": "why"}}]})");
  const auto health = [&](const char* node, double s) {
    const auto found = json_of(ask_api(*cloud, nodes_path(node), s));
    std::string all;
    for (const char* const key : {"health", "healthDescription"}) {
      if (const auto* const text = found.as_object().if_contains(key)) all += std::string(text->as_string()) + " ";
    }
    return all;
  };
  CHECK(health("/later", 0).empty());
  CHECK(health("/later", 10) == "TIMEOUT why ");
  CHECK(health("/scripted", 0) == "TIMEOUT ");
  CHECK(health("/scripted", 5) == "HEALTHY ");
  CHECK(health("/scripted", 10).empty());
  CHECK(health("/scripted", 15) == "TIMEOUT ");
  CHECK(health("/scripted", 20) == "HEALTHY ");
  CHECK(health("/qr", 10) == "TIMEOUT why ");
}

TEST_CASE("endpoints that an entry lists are shown while the node is being created") {
  const auto cloud = cloud_of(R"({"nodes": [{"name": "n", "accelerator_type": "v4-16", "timeline": [
    {"at": 0, "state": "CREATING", "endpoints": ["10.1.0.1", "10.1.0.2:1"]}, {"at": 5, "health": "TIMEOUT"}, {"at": 10, "endpoints": {"base": "10.2.0.1"}},
    {"at": 15, "endpoints": []}, {"at": 20, "state": "CREATING"}, {"at": 25, "state": "READY", "endpoints": 1}, {"at": 30, "state": "READY"}]},
    {"name": "base", "state": "CREATING", "endpoints": ["10.3.0.1"]}],
    "queued_resources": [{"name": "qr", "state": "PROVISIONING", "except": [{"slice": 0, "timeline": [{"at": 5, "endpoints": ["10.4.0.1"]}]}]}]})");
  const auto shown = [&](const char* node, double s) {
    std::string all;
    const auto found = json_of(ask_api(*cloud, nodes_path(node), s));
    if (const auto* const list = found.as_object().if_contains("networkEndpoints")) {
      for (const auto& one : list->as_array()) all += std::string(one.at("ipAddress").as_string()) + " ";
    }
    return all;
  };
  CHECK(shown("/n", 0) == "10.1.0.1 10.1.0.2 ");
  CHECK(shown("/n", 5) == "10.1.0.1 10.1.0.2 ");
  CHECK(shown("/n", 10) == "10.2.0.1 10.2.0.2 ");
  CHECK(shown("/n", 15).empty());
  CHECK(shown("/n", 20).empty());
  CHECK(shown("/base", 20).empty());  // hidden while it is being created
  CHECK(shown("/qr", 4).empty());
  CHECK(shown("/qr", 5) == "10.4.0.1 ");
}

TEST_CASE("raw fields are passed on as they are") {
  const auto cloud = cloud_of(R"({"nodes": [{"name": "n", "raw": {"state": "RESHARDING", "some": {"a": [1]}, "health": null}}]})");
  const auto node = json_of(ask_api(*cloud, nodes_path("/n")));
  CHECK(node.at("state") == "RESHARDING");
  CHECK(text_of(node.at("some")) == R"({"a":[1]})");
  CHECK_FALSE(node.as_object().contains("health"));
}

TEST_CASE("many nodes from one entry, listed page by page") {
  const auto cloud =
      cloud_of(R"({"nodes": [{"name": "trainer-{i}", "count": 40, "accelerator_type": "v4-16", "endpoints": {"base": "10.1.255.254"}}]})");
  std::string token;
  std::vector<std::string> names;
  int pages = 0;
  do {
    const auto page = json_of(ask_api(*cloud, nodes_path("?pageSize=15&pageToken=" + token)));
    for (const auto& node : page.at("nodes").as_array()) names.emplace_back(node.at("name").as_string());
    const auto* next = page.as_object().if_contains("nextPageToken");
    token = next ? std::string(next->as_string()) : "";
    ++pages;
  } while (!token.empty());
  CHECK(pages == 3);
  CHECK(names.size() == 40);
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(json_of(ask_api(*cloud, nodes_path("/trainer-1"))).at("networkEndpoints").as_array()[0].at("ipAddress") == "10.2.0.0");
  CHECK(ask_api(*cloud, nodes_path("?pageToken=nonsense")).status == 400);
  CHECK(ask_api(*cloud, nodes_path("?pageSize=-1")).status == 400);
  CHECK(ask_api(*cloud, nodes_path("?filter=x")).status == 400);
}

TEST_CASE("a list of all zones names the unreachable ones") {
  const auto cloud = cloud_of(
      R"({"unreachable_zones": ["us-east1-d"], "nodes": [{"name": "a"}, {"name": "b", "zone": "us-west4-a"}, {"name": "c", "zone": "us-east1-d"}]})");
  const auto all = json_of(ask_api(*cloud, "/v2/projects/example-proj/locations/-/nodes"));
  CHECK(all.at("nodes").as_array().size() == 2);
  CHECK(text_of(all.at("unreachable")) == R"(["projects/example-proj/locations/us-east1-d"])");
  CHECK(ask_api(*cloud, "/v2/projects/example-proj/locations/us-east1-d/nodes").status == 503);
  CHECK(ask_api(*cloud, "/v2/projects/example-proj/locations/eu/nodes").body == "{}\n");
  CHECK(ask_api(*cloud, "/v2/projects/123456789012/locations/us-central2-b/nodes/a").status == 200);
}

}  // namespace rollcall::sim
