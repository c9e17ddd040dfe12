// The Compute Engine API of the simulated cloud.
#include "sim/compute/compute_filter.hpp"
#include "sim/support.hpp"
#include "sim/wire/field_mask.hpp"

namespace rollcall::sim {

namespace {

const char* const small_compute = R"({"zone": "us-east1-b", "unreachable_zones": ["us-west1-b"], "compute": {
  "instances": [
    {"name": "w-{i}", "count": 12, "ip": "10.0.0.9", "ipv6": "fd20::9", "labels": {"team": "x"}, "interfaces": [{"ip": "192.168.0.1", "external_ip": "203.0.113.7"}]},
    {"name": "late", "running_after": 10},
    {"name": "brief", "zone": "us-east1-c", "timeline": [{"at": 5, "status": "STAGING"}, {"at": 7, "status": "DELETED"}], "raw": {"name": null, "tags": {"items": ["t"]}}},
    {"name": "far", "zone": "us-west1-b"}],
  "groups": [{"name": "w", "instances": ["w-*", "late"], "named_ports": {"tf": 8470}},
             {"name": "all", "region": "us-east1"}, {"name": "west", "region": "us-west1"}, {"name": "none", "instances": ["nobody"]},
             {"name": "odd", "instances": ["w-1"], "warning": {"code": "X"}}]}})";

Reply ask_compute(Cloud& cloud, std::string path, double at = 0, std::string method = "GET", std::string body = "",
                  std::string token = "t") {
  Request request = api_request("/compute/v1/projects/example-proj/" + path, std::move(token));
  request.host = "compute.googleapis.com";
  request.method = std::move(method);
  request.body = std::move(body);
  return cloud.handle(request, second(at));
}

Reply ask_members(Cloud& cloud, std::string group, std::string query = "", double at = 0,
                  std::string body = R"({"instanceState":"RUNNING"})") {
  return ask_compute(cloud, (group.starts_with("regions/") ? group : "zones/us-east1-b/instanceGroups/" + group) + "/listInstances" + query,
                     at, "POST", std::move(body));
}

std::string names_of(const Reply& reply, std::string_view key = "name") {
  std::string out;
  const boost::json::value answer = json_of(reply);
  if (const auto* items = answer.as_object().if_contains("items")) {
    for (const auto& item : items->as_array()) {
      const std::string text(item.at(key).as_string());
      out += (out.empty() ? "" : " ") + text.substr(text.rfind('/') + 1);
    }
  }
  return out;
}

std::string reason_of(const Reply& reply) {
  return fmt::format("{} {}", reply.status, std::string(json_of(reply).at("error").at("errors").as_array()[0].at("reason").as_string()));
}

}  // namespace

TEST_CASE("an instance has the API's form") {
  const auto cloud = cloud_of(small_compute);
  const boost::json::value one = json_of(ask_compute(*cloud, "zones/us-east1-b/instances/w-3"));
  CHECK(one.at("kind") == "compute#instance");
  CHECK(one.at("status") == "RUNNING");
  CHECK(one.at("zone") == "https://www.googleapis.com/compute/v1/projects/example-proj/zones/us-east1-b");
  CHECK(one.at("id").is_string());
  const auto& nics = one.at("networkInterfaces").as_array();
  REQUIRE(nics.size() == 2);
  CHECK(nics[0].at("networkIP") == "10.0.0.12");
  CHECK(nics[0].at("ipv6Address") == "fd20::c");
  CHECK(nics[0].at("stackType") == "IPV4_IPV6");
  CHECK(nics[1].at("name") == "nic1");
  CHECK(nics[1].at("accessConfigs").as_array()[0].at("natIP") == "203.0.113.10");
  CHECK(
      text_of(json_of(ask_compute(*cloud, "zones/us-east1-b/instances/w-3?fields=name,networkInterfaces(networkIP)&prettyPrint=false"))) ==
      R"({"name":"w-3","networkInterfaces":[{"networkIP":"10.0.0.12"},{"networkIP":"192.168.0.4"}]})");
  CHECK(reason_of(ask_compute(*cloud, "zones/us-east1-b/instances/w-3?fields=nome")) == "400 invalidParameter");
}

TEST_CASE("an instance lists its accelerators") {
  const auto cloud = cloud_of(R"({"zone": "us-east1-b", "compute": {"instances": [{"name": "plain"},
    {"name": "t", "machine_type": "n1-standard-8", "guest_accelerators": {"nvidia-tesla-t4": 2}}]}})");
  const boost::json::value one = json_of(ask_compute(*cloud, "zones/us-east1-b/instances/t"));
  const auto& listed = one.at("guestAccelerators").as_array();
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("acceleratorType") ==
        "https://www.googleapis.com/compute/v1/projects/example-proj/zones/us-east1-b/acceleratorTypes/nvidia-tesla-t4");
  CHECK(listed[0].at("acceleratorCount") == 2);
  CHECK(text_of(json_of(ask_compute(*cloud, "zones/us-east1-b/instances?fields=items(name,guestAccelerators)")))
            .find(R"({"name":"plain"})") != std::string::npos);
}

TEST_CASE("instances are created and deleted, and have addresses once they are staged") {
  const auto cloud = cloud_of(small_compute);
  const auto late = [&](double at) { return json_of(ask_compute(*cloud, "zones/us-east1-b/instances/late", at)); };
  CHECK(late(9.9).at("status") == "PROVISIONING");
  CHECK_FALSE(late(9.9).at("networkInterfaces").as_array()[0].as_object().contains("networkIP"));
  CHECK(late(10).at("status") == "RUNNING");
  CHECK(late(10).at("networkInterfaces").as_array()[0].at("networkIP") == "10.132.0.14");
  const auto brief = [&](double at) { return ask_compute(*cloud, "zones/us-east1-c/instances/brief", at); };
  CHECK(reason_of(brief(4)) == "404 notFound");
  CHECK(json_of(brief(5)).at("status") == "STAGING");
  CHECK_FALSE(json_of(brief(5)).as_object().contains("name"));
  CHECK(json_of(brief(5)).at("tags").at("items").as_array().size() == 1);
  CHECK(brief(7).status == 404);
  CHECK_THAT(std::string(json_of(brief(7)).at("error").at("message").as_string()),
             Catch::Contains("The resource 'projects/example-proj/zones/us-east1-c/instances/brief' was not found"));
}

TEST_CASE("a group lists its members by state, in name order, page by page") {
  const auto cloud = cloud_of(small_compute);
  CHECK(names_of(ask_members(*cloud, "w"), "instance") == "w-0 w-1 w-10 w-11 w-2 w-3 w-4 w-5 w-6 w-7 w-8 w-9");
  CHECK(names_of(ask_members(*cloud, "w", "", 0, ""), "instance").starts_with("late w-0"));
  CHECK(names_of(ask_members(*cloud, "w", "", 10), "instance").starts_with("late w-0"));
  CHECK(names_of(ask_members(*cloud, "w", "", 0, R"({"instanceState":"ALL"})"), "instance").starts_with("late"));
  CHECK(names_of(ask_members(*cloud, "w", "?orderBy=creationTimestamp%20desc&filter=status%3DRUNNING"), "instance").starts_with("w-0"));
  const boost::json::value first = json_of(ask_members(*cloud, "w", "?maxResults=5&orderBy=name"));
  CHECK(first.at("kind") == "compute#instanceGroupsListInstances");
  CHECK(first.at("items").as_array()[0].at("namedPorts").as_array()[0].at("port") == 8470);
  const std::string token(first.at("nextPageToken").as_string());
  CHECK(names_of(ask_members(*cloud, "w", "?maxResults=5&pageToken=" + token), "instance") == "w-3 w-4 w-5 w-6 w-7");
  CHECK_FALSE(json_of(ask_members(*cloud, "none")).as_object().contains("items"));
  CHECK(names_of(ask_members(*cloud, "regions/us-east1/instanceGroups/all", "", 5, ""), "instance").starts_with("brief late w-0"));
  CHECK(json_of(ask_members(*cloud, "odd")).at("warning").at("code") == "X");
  CHECK(json_of(ask_members(*cloud, "w", "?fields=items(instance,status,namedPorts),nextPageToken,warning")).as_object().size() == 1);
}

TEST_CASE("members in an unreachable zone are missing with a warning, if the client accepts partial answers") {
  const auto cloud = cloud_of(small_compute);
  CHECK(reason_of(ask_members(*cloud, "regions/us-west1/instanceGroups/west")) == "503 backendError");
  const boost::json::value partial = json_of(ask_members(*cloud, "regions/us-west1/instanceGroups/west", "?returnPartialSuccess=true"));
  CHECK(partial.at("warning").at("code") == "UNREACHABLE");
  CHECK(partial.at("warning").at("data").as_array()[0].at("value") == "zones/us-west1-b");
  CHECK_FALSE(partial.as_object().contains("items"));
  CHECK(ask_compute(*cloud, "zones/us-west1-b/instances").status == 503);
}

TEST_CASE("instances and groups are listed") {
  const auto cloud = cloud_of(small_compute);
  CHECK(names_of(ask_compute(*cloud, "zones/us-east1-b/instances?filter=(name%20%3D%20%22w-1%22)%20OR%20(name%20%3D%20%22w-10%22)")) ==
        "w-1 w-10");
  CHECK(names_of(ask_compute(*cloud, "zones/us-east1-b/instances?filter=name%20eq%20'w-1.*'")) == "w-1 w-10 w-11");
  CHECK(names_of(ask_compute(*cloud, "zones/us-east1-b/instances?filter=status!%3DRUNNING")) == "late");
  CHECK(names_of(ask_compute(*cloud, "zones/us-east1-b/instanceGroups")) == "none odd w");
  CHECK(names_of(ask_compute(*cloud, "regions/us-east1/instanceGroups")) == "all");
  const boost::json::value group = json_of(ask_compute(*cloud, "zones/us-east1-b/instanceGroups/w"));
  CHECK(group.at("size") == 13);
  CHECK(group.at("namedPorts").as_array()[0].at("name") == "tf");
}

TEST_CASE("errors have Compute Engine's form") {
  const auto cloud =
      cloud_of(std::string(small_compute).substr(0, std::string(small_compute).size() - 1) +
               R"(,"faults": [{"match": {"route": "instances.list"}, "times": 1, "status": 403, "reason": "rateLimitExceeded"}]})");
  CHECK(reason_of(ask_compute(*cloud, "zones/us-east1-b/instances/x")) == "404 notFound");
  CHECK(reason_of(ask_members(*cloud, "x")) == "404 notFound");
  CHECK(reason_of(ask_compute(*cloud, "zones/us-east1-b/instances/w-1", 0, "GET", "", "")) == "401 required");
  Request foreign = api_request("/compute/v1/projects/other/zones/us-east1-b/instances/w-1");
  foreign.host = "www.googleapis.com";
  CHECK(reason_of(cloud->handle(foreign, second(0))) == "403 forbidden");
  const Reply limited = ask_compute(*cloud, "zones/us-east1-b/instances");
  CHECK(reason_of(limited) == "403 rateLimitExceeded");
  CHECK(json_of(limited).at("error").at("message") == "Rate Limit Exceeded");
  CHECK(json_of(limited).at("error").at("errors").as_array()[0].at("domain") == "usageLimits");
  for (const char* const query :
       {"?maxResults=501", "?maxResults=x", "?pageToken=x", "?orderBy=size", "?filter=name", "?filter=a%3Db%20AND%20c%20eq%20d"}) {
    CHECK(reason_of(ask_compute(*cloud, std::string("zones/us-east1-b/instances") + query)) == "400 invalid");
  }
  CHECK(ask_compute(*cloud, "zones/us-east1-b/instances?color=red").status == 400);
  CHECK(ask_members(*cloud, "w", "", 0, "[").status == 400);
  CHECK(ask_members(*cloud, "w", "", 0, R"({"instanceState":"SLEEPING"})").status == 400);
  CHECK(ask_members(*cloud, "w", "", 0, R"({"instanceState":7})").status == 400);
  CHECK(ask_compute(*cloud, "zones/us-east1-b/instances/w-1", 0, "DELETE").status == 501);
  CHECK(ask_compute(*cloud, "zones/us-east1-b/disks").status == 404);
  CHECK(cloud->counts().at("instances.list") == 8);
  CHECK(cloud->counts().at("instances.get") == 3);
}

TEST_CASE("filters of both styles") {
  const boost::json::value vm =
      boost::json::parse(R"({"name":"w-1","status":"RUNNING","labels":{"team":"x"},"n":5,"deep":{"a":{"b":true}}})");
  const auto matches = [&](std::string_view text) {
    const auto filter = ComputeFilter::parse(text);
    return filter ? (filter->matches(vm) ? "yes" : "no") : "bad";
  };
  for (const char* const text : {"",
                                 "name=w-1",
                                 "name = \"w-1\"",
                                 "name='w-1'",
                                 "(name = w-1)",
                                 "name=w-2 OR name=w-1",
                                 "labels.team:*",
                                 "labels.team=x n=5",
                                 "deep.a.b=true",
                                 "NOT name=w-2",
                                 "-name=w-2",
                                 "name!=w-2",
                                 "name eq w-.",
                                 "name eq 'w-[0-9]+|x'",
                                 "name eq '[^a-v]-1?1'",
                                 "name eq 'w\\-1'",
                                 "name eq .*",
                                 "name ne x.*",
                                 "name:w-*",
                                 "name=w-2 OR (status=RUNNING AND n=5)",
                                 "name=w-1 AND NOT (n=6)"}) {
    INFO(text);
    CHECK(std::string(matches(text)) == "yes");
  }
  for (const char* const text : {"name=w", "name=w-2", "labels.color:*", "name.x=1", "name=w-2 AND status=RUNNING", "name eq w",
                                 "name eq 'w-[2-9]'", "name eq 'w-1.+'", "name eq ''", "name ne w-1", "labels=x"}) {
    INFO(text);
    CHECK(std::string(matches(text)) == "no");
  }
  for (const char* const text :
       {"name", "=x", "name=", "(name=a", "name=a)", "name=a OR", "name eq (", "name eq (a*)*b", "name eq 'a{9}'", "name eq '[z-a]'",
        "name eq '[a'", "name eq '*'", "name eq '\\d'", "name=a b", "name=\"a", "AND", "a=b AND c eq d"}) {
    INFO(text);
    CHECK(std::string(matches(text)) == "bad");
  }
  CHECK(!ComputeFilter::parse(std::string(100, '(') + "a=b" + std::string(100, ')')));
  CHECK(!ComputeFilter::parse("name=" + std::string(100'000, 'a')));
}

TEST_CASE("faults of a compute section are reported with their position") {
  const auto problem = [](const std::string& compute) {
    const auto cloud = Cloud::parse("{\"compute\": {" + compute + "}}", "c.json");
    return cloud ? std::string("fine") : cloud.error().what();
  };
  CHECK(problem(R"("instances": [{"name": "a"}], "groups": [{"name": "g"}])") == "fine");
  CHECK_THAT(problem(R"("instance": [])"), Catch::Contains("did you mean 'instances'?"));
  CHECK_THAT(
      problem(R"("instances": [{"name": "a", "status": "RUNING"}])"),
      Catch::Contains("c.json:1:") && Catch::Contains("compute.instances[0].status: unknown status 'RUNING', did you mean 'RUNNING'?"));
  CHECK_THAT(problem(R"("instances": [{}])"), Catch::Contains("compute.instances[0]: an instance needs a name"));
  CHECK_THAT(problem(R"("instances": [{"name": "a", "count": 2}])"), Catch::Contains("the name needs a {i}"));
  CHECK_THAT(problem(R"("instances": [{"name": "a{i}", "count": 200000}])"), Catch::Contains("compute.instances[0].count"));
  CHECK_THAT(problem(R"("instances": [{"name": "a", "ip": "10.0.0"}])"),
             Catch::Contains("compute.instances[0].ip: '10.0.0' is no IP address"));
  CHECK_THAT(problem(R"("instances": [{"name": "a{i}", "count": 300, "ip": "192.168.255.250"}])"), Catch::Contains("there are no"));
  CHECK_THAT(problem(R"("instances": [{"name": "a"}, {"name": "a"}])"), Catch::Contains("there are two instances"));
  CHECK_THAT(problem(R"("instances": [{"name": "a", "timeline": [{"at": 2}, {"at": 1}]}])"),
             Catch::Contains("compute.instances[0].timeline[1]: at: each entry must be later"));
  CHECK_THAT(problem(R"("instances": [{"name": "a", "running_after": 1, "timeline": [{"at": 2}]}])"), Catch::Contains("running_after"));
  CHECK_THAT(problem(R"("groups": [{"name": "g", "zone": "z", "region": "r"}])"), Catch::Contains("compute.groups[0]: region"));
  CHECK_THAT(problem(R"("groups": [{"name": "g"}, {"name": "g"}])"), Catch::Contains("compute.groups[1]: there are two groups 'g'"));
  CHECK_THAT(problem(R"("groups": [{"name": "g", "named_ports": {"tf": 0}}])"), Catch::Contains("compute.groups[0].named_ports.tf"));
  CHECK_THAT(problem(R"("groups": [{"zone": "z"}])"), Catch::Contains("a group needs a name"));
}

}  // namespace rollcall::sim
