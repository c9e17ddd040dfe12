// Recorded answers, played again.
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {

std::shared_ptr<Cloud> recording_of(std::string_view exchanges) {
  return cloud_of("{\"recorded\": {\"version\": 1, \"namespace\": \"train\", \"exchanges\": [" + std::string(exchanges) + "]}}");
}

Request recorded_request(std::string target) { return https_request("any.example:6443", std::move(target), "t"); }

Reply ask_recorded(Cloud& cloud, std::string target, double at = 0) {
  return cloud.handle(recorded_request(std::move(target)), second(at));
}

std::string fault_of_recording(std::string_view exchange) {
  const auto cloud = Cloud::parse("{\"recorded\": {\"exchanges\": [" + std::string(exchange) + "]}}", "f");
  return cloud ? std::string("accepted") : cloud.error().what();
}

}  // namespace

TEST_CASE("recorded answers come in their order, the last one again") {
  const auto cloud = recording_of(R"({"path": "/api/v1/pods?limit=5&labelSelector=app%3Dx", "status": 200, "took": 2, "body": {"n": 1}},
    {"path": "/api/v1/pods?labelSelector=app=x&limit=5", "status": 429, "headers": {"Retry-After": "3"}, "body": "slow down"})");
  const Reply first = ask_recorded(*cloud, "/api/v1/pods?labelSelector=app%3Dx&limit=5");
  CHECK(first.body == R"({"n":1})");
  CHECK(first.delay == std::chrono::seconds(2));
  for (int i = 0; i < 2; ++i) {
    const Reply again = ask_recorded(*cloud, "/api/v1/pods?labelSelector=app%3Dx&limit=5");
    CHECK(again.status == 429);
    CHECK(again.body == "slow down");
    CHECK(header(again, "Retry-After") == "3");
  }
}

TEST_CASE("what was not recorded is refused by name, tokens excepted") {
  const auto cloud = recording_of(R"({"path": "/v2/projects/p/locations/z/nodes/n", "status": 200, "body": {}})");
  const Reply kube = ask_recorded(*cloud, "/apis/batch/v1/jobs?x=1");
  CHECK(kube.status == 501);
  CHECK(json_of(kube).at("message") == "the recording has no answer to GET /apis/batch/v1/jobs?x=1 (it has 1 exchanges)");
  CHECK(ask_api(*cloud, "/v2/projects/p/locations/z/nodes").status == 501);
  CHECK(ask_metadata(*cloud, "instance/zone").status == 404);
  CHECK(ask_metadata(*cloud, "instance/service-accounts/default/token").status == 200);
  CHECK(ask_api(*cloud, "/v2/projects/p/locations/z/nodes/n").status == 200);
}

TEST_CASE("a watch plays its lines at their times and stays open") {
  const auto cloud = recording_of(R"({"path": "/api/v1/pods?watch=1&resourceVersion=5&timeoutSeconds=9", "status": 200, "lines": [
    {"at": 1, "line": {"type": "ADDED"}}, {"at": 3, "line": "text"}]},
    {"path": "/api/v1/pods?watch=1&resourceVersion=9", "status": 200, "lines": [], "ended": 4})");
  // The client's patience does not matter, and another version gets what is there.
  Request request = recorded_request("/api/v1/pods?watch=1&resourceVersion=6&timeoutSeconds=77");
  Reply reply = cloud->handle(request, second(10));
  CHECK(reply.body.empty());
  std::vector<std::pair<SteadyTime, std::string>> seen;
  while (reply.more && reply.more->ask_again < SteadyTime::max()) {
    const SteadyTime now = reply.more->ask_again;
    request.held = reply.more;
    reply = cloud->handle(request, now);
    seen.emplace_back(now, reply.body);
  }
  CHECK(reply.more);  // for ever
  CHECK(seen == std::vector<std::pair<SteadyTime, std::string>>{{second(11), "{\"type\":\"ADDED\"}\n"}, {second(13), "text\n"}});

  Request other = recorded_request("/api/v1/pods?watch=1&resourceVersion=9");
  Reply ended = cloud->handle(other, second(0));
  REQUIRE(ended.more);
  CHECK(ended.more->ask_again == second(4));
  other.held = ended.more;
  CHECK_FALSE(cloud->handle(other, second(4)).more);
}

TEST_CASE("an answer that never came does not come") {
  const auto cloud = recording_of(R"({"path": "/api/v1/pods"}, {"path": "/api/v1/nodes", "failure": "unreachable"})");
  CHECK(ask_recorded(*cloud, "/api/v1/pods").fault.kind == FaultKind::stall);
  CHECK(ask_recorded(*cloud, "/api/v1/nodes").fault.kind == FaultKind::reset);
}

TEST_CASE("a recording of a cluster has a kubeconfig") {
  const auto cloud = cloud_of(R"({"recorded": {"context": "prod", "namespace": "train", "targets": ["kubernetes:train"],
    "exchanges": [{"path": "/api/v1/pods", "status": 200}]}})");
  const std::string text = cloud->kubeconfig("https://127.0.0.1:1", "PEM");
  CHECK_THAT(text, Catch::Contains("current-context: \"prod\"") && Catch::Contains("namespace: \"train\""));
  CHECK(cloud->recorded_targets() == std::vector<std::string>{"kubernetes:train"});
  CHECK(cloud_of(R"({"recorded": {"exchanges": [{"path": "/v2/x", "status": 200}]}})")->kubeconfig("https://a", "").empty());
}

TEST_CASE("hostile recordings are refused") {
  CHECK(fault_of_recording(R"({"path": "/a", "status": 200})") == "accepted");
  for (const char* const wrong :
       {R"({"path": "a"})", R"({"path": "/a\n"})", R"({"path": "/a", "status": 100})", R"({"path": "/a", "body": "x"})",
        R"({"path": "/a", "status": 200, "headers": {"a b": "x"}})", R"({"path": "/a", "status": 200, "headers": {"A": "x\r\nB: y"}})",
        R"({"path": "/a", "status": 200, "failure": "x"})", R"({"path": "/a", "status": 200, "body": "x", "lines": []})",
        R"({"path": "/a", "status": 200, "ended": 1})",
        R"({"path": "/a", "status": 200, "lines": [{"at": 2, "line": "a"}, {"at": 1, "line": "b"}]})",
        R"({"path": "/a", "status": 200, "lines": [{"at": 2, "line": "a"}], "ended": 1})",
        R"({"path": "/a", "status": 200, "lines": [{"line": "a\nb"}]})", R"({"path": "/a", "method": "CONNECT"})",
        R"({"path": "/a", "at": -1})"}) {
    INFO(wrong);
    CHECK_THAT(fault_of_recording(wrong), Catch::Contains("f:1:") && Catch::Contains("recorded.exchanges[0]"));
  }
  const auto target = Cloud::parse(R"({"recorded": {"targets": ["a\u001b[2J"]}})", "f");
  CHECK_FALSE(target);
}

}  // namespace rollcall::sim
