// The accelerators of pods with resource claims: what is asked of the server, and what the members get.
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/wait.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// `names` are of pod claims and of their ResourceClaims: `gpus=claim-a`.
class ClaimingPodText {
 public:
  std::string name;
  std::string node;
  std::vector<std::pair<std::string, std::string>> claims;
  std::string uses;  // of the container: `{"name":"gpus"}`; empty: all
  std::string limits;

  std::string json() const {
    std::string spec;
    std::string statuses;
    std::string all;
    for (const auto& [claim, object] : claims) {
      spec += fmt::format(R"({}{{"name":"{}","resourceClaimTemplateName":"t"}})", spec.empty() ? "" : ",", claim);
      all += fmt::format(R"({}{{"name":"{}"}})", all.empty() ? "" : ",", claim);
      if (object == "none") continue;
      const std::string named = object.empty() ? "" : fmt::format(R"(,"resourceClaimName":"{}")", object);
      statuses += fmt::format(R"({}{{"name":"{}"{}}})", statuses.empty() ? "" : ",", claim, named);
    }
    return fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"train"}},"spec":{{"nodeName":"{}","resourceClaims":[{}],"containers":[{{"resources":{{"claims":[{}],"limits":{{{}}}}}}}]}},"status":{{"conditions":[{{"type":"Ready","status":"True"}}],"phase":"Running","podIP":"10.8.0.1","hostIP":"10.0.0.1","resourceClaimStatuses":[{}]}}}})",
        name, node, spec, uses.empty() ? all : uses, limits, statuses);
  }
};

std::string pod_with_claim(const std::string& name, const std::string& object, const std::string& node = "n1") {
  ClaimingPodText pod;
  pod.name = name;
  pod.node = node;
  pod.claims = {{"gpus", object}};
  return pod.json();
}

// A claim with so many GPUs for each of its requests.
std::string claim_json(const std::string& name, const std::vector<std::pair<std::string, int>>& requests) {
  std::string results;
  for (const auto& [request, count] : requests) {
    for (int i = 0; i < count; ++i)
      results += fmt::format(R"({}{{"request":"{}","driver":"gpu.nvidia.com","pool":"n1","device":"{}-{}"}})", results.empty() ? "" : ",",
                             request, request, i);
  }
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"train"}},"status":{{"allocation":{{"devices":{{"results":[{}]}}}}}}}})",
                     name, results);
}

constexpr const char* claim_group_json =
    R"({"kind":"APIGroup","name":"resource.k8s.io","versions":[{"version":"v1"},{"version":"v1beta1"}]})";

ScriptedTransport::Answer answered_claim_question(const HttpRequest& request, const std::string& pods, const std::string& claims) {
  const std::string& target = request.url.target;
  if (target.starts_with("/api/v1/pods") || target.starts_with("/api/v1/namespaces"))
    return {ScriptedTransport::reply(200, list_json(pods))};
  if (target == "/apis/resource.k8s.io") return {ScriptedTransport::reply(200, claim_group_json)};
  return {ScriptedTransport::reply(200, R"({"metadata":{},"items":[)" + claims + "]}")};
}

ClusterStatus status_with_claims(const std::string& pods, const std::string& claims) {
  TestRuntime t;
  t.transport->respond = [&](const HttpRequest& request) { return answered_claim_question(request, pods, claims); };
  return t.run(make_kubernetes_resolver(t.runtime, at_test_server())->cluster_status());
}

// `4 GPU, resource claims; ?`: of each member, with `shared` where they are those of the machine.
std::string accelerators_in_words(const ClusterStatus& status) {
  std::string text;
  for (const Member& member : status.members) {
    text += text.empty() ? "" : "; ";
    if (!member.accelerators) {
      text += "?";
      continue;
    }
    const Accelerators& one = *member.accelerators;
    text += fmt::format("{} {}, {}{}", one.count, one.kind, one.is_shared ? "shared, " : "", one.source);
  }
  return text;
}

std::string counted(const std::string& pods, const std::string& claims) { return accelerators_in_words(status_with_claims(pods, claims)); }

}  // namespace

TEST_CASE("a pod has the devices of its claims") {
  CHECK(counted(pod_with_claim("a", "c-a") + "," + pod_with_claim("b", "c-b"),
                claim_json("c-a", {{"r", 4}}) + "," + claim_json("c-b", {{"r", 8}})) == "4 GPU, resource claims; 8 GPU, resource claims");
  // The claim is not made yet, or not listed.
  CHECK(counted(pod_with_claim("a", "none"), "") == "?");
  CHECK(counted(pod_with_claim("a", "gone"), claim_json("other", {{"r", 4}})) == "?");
  // A container uses one request of several, and a claim that no container uses counts nothing.
  ClaimingPodText pod;
  pod.name = "a";
  pod.node = "n1";
  pod.claims = {{"gpus", "c"}, {"more", "d"}};
  pod.uses = R"({"name":"gpus","request":"x"},{"name":"gpus","request":"x"})";
  const std::string claims = claim_json("c", {{"x", 2}, {"y", 4}}) + "," + claim_json("d", {{"r", 8}});
  CHECK(counted(pod.json(), claims) == "2 GPU, resource claims");
  pod.uses = R"({"name":"gpus"},{"name":"more"})";
  CHECK(counted(pod.json(), claims) == "14 GPU, resource claims");
  pod.limits = R"("nvidia.com/gpu":"1")";
  CHECK(counted(pod.json(), claims) == "15 GPU, resource limits and claims");
  pod.limits = R"("google.com/tpu":"4")";
  CHECK(counted(pod.json(), claims) == "?");
  // No claim was needed for it.
  pod.limits = R"("nvidia.com/gpu":"1")";
  pod.claims = {{"gpus", ""}};
  pod.uses = R"({"name":"gpus"})";
  CHECK(counted(pod.json(), claims) == "1 GPU, resource limits and claims");
}

TEST_CASE("pods that share a claim have its devices together") {
  const std::string claims = claim_json("c", {{"r", 8}}) + "," + claim_json("d", {{"r", 4}});
  CHECK(counted(pod_with_claim("a", "c") + "," + pod_with_claim("b", "c"), claims) ==
        "8 GPU, shared, resource claims; 8 GPU, shared, resource claims");
  CHECK(counted(pod_with_claim("a", "c") + "," + pod_with_claim("b", "c") + "," + pod_with_claim("o", "d", "n2"), claims) ==
        "8 GPU, shared, resource claims; 8 GPU, shared, resource claims; 4 GPU, resource claims");
  // Two pairs on one machine, shared and own ones on one machine, and pods without a machine: one number cannot say it.
  const std::string four = pod_with_claim("a", "c") + "," + pod_with_claim("b", "c") + ",";
  CHECK(counted(four + pod_with_claim("x", "d") + "," + pod_with_claim("y", "d"), claims) == "?; ?; ?; ?");
  CHECK(counted(four + pod_with_claim("x", "d"), claims) == "?; ?; 4 GPU, resource claims");
  CHECK(counted(pod_with_claim("a", "c", "") + "," + pod_with_claim("b", "c", ""), claims) == "?; ?");
}

TEST_CASE("claims are asked for once, and only if pods have them") {
  TestRuntime t;
  const std::string pods = pod_with_claim("a", "c") + "," + pod_with_claim("b", "c-b");
  const std::string claims = claim_json("c", {{"r", 1}});
  t.transport->respond = [&](const HttpRequest& request) { return answered_claim_question(request, pods, claims); };
  const auto resolver = make_kubernetes_resolver(t.runtime, at_test_server().namespace_name("train"));
  t.run(resolver->cluster_status());
  REQUIRE(t.transport->requests.size() == 3);
  CHECK(t.transport->requests[1].url.target == "/apis/resource.k8s.io");
  CHECK(t.transport->requests[2].url.target == "/apis/resource.k8s.io/v1/namespaces/train/resourceclaims?limit=250");
  CHECK(t.transport->requests[2].bearer.reveal() == "test-token");
  // A spec needs no accelerators.
  t.transport->requests.clear();
  t.run(resolver->cluster_spec());
  CHECK(t.transport->requests.size() == 1);
}

TEST_CASE("a refusal leaves the number open, and is reported") {
  for (const int code : {403, 404}) {
    TestRuntime t;
    t.transport->respond = [&](const HttpRequest& request) {
      if (!request.url.target.starts_with("/apis/")) return answered_claim_question(request, pod_with_claim("a", "c"), "");
      return ScriptedTransport::Answer(ScriptedTransport::reply(
          code, status_json(code, code == 403 ? "Forbidden" : "NotFound", "resourceclaims.resource.k8s.io is forbidden")));
    };
    const ClusterStatus status = t.run(make_kubernetes_resolver(t.runtime, at_test_server())->cluster_status());
    CHECK(accelerators_in_words(status) == "?");
    const std::string event = std::string(to_string(EventKind::omitted)) + (code == 403 ? " permission_denied" : " not_found");
    CHECK(std::count(t.log->lines.begin(), t.log->lines.end(), event) == 1);
  }
}

TEST_CASE("a list of claims in pages") {
  TestRuntime t;
  t.transport->respond = [&](const HttpRequest& request) {
    if (request.url.target.find("continue=two") != std::string::npos)
      return ScriptedTransport::Answer(ScriptedTransport::reply(200, R"({"items":[)" + claim_json("c", {{"r", 2}}) + "]}"));
    if (request.url.target.find("resourceclaims") != std::string::npos)
      return ScriptedTransport::Answer(ScriptedTransport::reply(200, R"({"metadata":{"continue":"two"},"items":[]})"));
    return answered_claim_question(request, pod_with_claim("a", "c"), "");
  };
  CHECK(accelerators_in_words(t.run(make_kubernetes_resolver(t.runtime, at_test_server())->cluster_status())) == "2 GPU, resource claims");
}

TEST_CASE("a follower lists the claims again once the pods have a machine, and not at every change") {
  TestRuntime t;
  const std::string waiting =
      R"({"metadata":{"name":"a","namespace":"train"},"spec":{"resourceClaims":[{"name":"gpus"}],"containers":[{"resources":{"claims":[{"name":"gpus"}]}}]},"status":{"phase":"Pending","resourceClaimStatuses":[{"name":"gpus","resourceClaimName":"c"}]}})";
  const std::string running = pod_with_claim("a", "c");
  int watches = 0;
  int lists = 0;
  t.transport->respond = [&](const HttpRequest& request) {
    if (request.url.target.find("watch=") != std::string::npos) {
      const auto event = [](const std::string& pod) { return fmt::format(R"({{"type":"MODIFIED","object":{}}})", pod) + "\n"; };
      ScriptedTransport::Answer answer(ScriptedTransport::reply(200, event(waiting) + event(running)));
      answer.after = ++watches > 1 ? Duration(std::chrono::hours(1)) : Duration(std::chrono::seconds(1));
      return answer;
    }
    const bool is_list = request.url.target.find("resourceclaims") != std::string::npos;
    lists += is_list ? 1 : 0;
    // Before the allocation the request says two; it becomes three devices.
    const std::string asked =
        R"({"metadata":{"name":"c","namespace":"train"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com","count":2}}]}},"status":{}})";
    return answered_claim_question(request, waiting, lists < 2 ? asked : claim_json("c", {{"r", 3}}));
  };
  const auto resolver = make_kubernetes_resolver(t.runtime, at_test_server());
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(resolver, usually_ready, WaitOptions().timeout(30s)));
  REQUIRE(status.has_value());
  CHECK(accelerators_in_words(*status) == "3 GPU, resource claims");
  CHECK(lists == 2);
}
