// PodListParser: the fields that are kept, the messages of refusals, and independence of chunk sizes.
#include "resolvers/kubernetes/wire/pod_list.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

PodList parsed_pods(const std::string& json) { return value_of(parse_pod_list(json)); }

void check_refused_pods(const std::string& json, Errc code, const std::string& text, const ParseLimits& limits = {}) {
  INFO(json.substr(0, 200));
  check_failure(parse_pod_list(json, limits), code, text);
}

std::string list_of(const std::string& pods) { return R"({"kind":"PodList","metadata":{},"items":[)" + pods + "]}"; }
std::string one_pod(const std::string& metadata, const std::string& status) {
  return list_of(fmt::format(R"({{"metadata":{{"name":"a"{}}},"status":{{"phase":"Pending"{}}}}})", metadata, status));
}

}  // namespace

TEST_CASE("a page of pods") {
  const PodList page = parsed_pods(read_sample("kubernetes/podlist.page1.json"));
  REQUIRE(page.pods.size() == 2);
  CHECK(page.next_page.starts_with("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6ODgyMDAs"));
  const Pod& pod = page.pods[1];
  CHECK(pod.name == "trainer-workers-0-1-q9d4m");
  CHECK(pod.namespace_name == "train");
  CHECK(pod.phase == "Running");
  CHECK(pod.pod_ip == "10.8.0.11");
  CHECK_FALSE(pod.is_leaving);
  CHECK(pod.label(PodLabel::jobset_name) == "trainer");
  CHECK(pod.label(PodLabel::completion_index) == "1");
  CHECK(pod.label(PodLabel::lws_name).empty());
  CHECK(parsed_pods(read_sample("kubernetes/podlist.empty.json")).pods.empty());
  const PodList empty = parsed_pods(read_sample("kubernetes/podlist.empty-page-with-continue.json"));
  CHECK(empty.pods.empty());
  CHECK_FALSE(empty.next_page.empty());
}

TEST_CASE("dual stack, and leaving pods") {
  const Pod dual = parsed_pods(read_sample("kubernetes/podlist.dual-stack.json")).pods.at(0);
  CHECK(dual.pod_ips == std::vector<std::string>{"10.8.0.10", "fd00:8::10"});
  CHECK(dual.host_ips == std::vector<std::string>{"10.0.0.100"});
  const PodList mixed = parsed_pods(read_sample("kubernetes/podlist.mixed-states.json"));
  CHECK(mixed.pods.at(2).is_leaving);
  CHECK_FALSE(mixed.pods.at(1).is_leaving);
}

TEST_CASE("what the status of a pod says of its containers and conditions") {
  const auto state_of = [](const std::string& spec, const std::string& status) {
    std::vector<Pod> pods;
    const std::string json = list_of(fmt::format(R"({{"metadata":{{"name":"a"}},"spec":{{{}}},"status":{{{}}}}})", spec, status));
    PodListParser parser(
        [&pods](Pod& pod) {
          pods.push_back(pod);
          return Result<void>();
        },
        PodDetail::readiness, ParseLimits());
    REQUIRE(parser.feed(json).has_value());
    REQUIRE(parser.finish().has_value());
    return pods.at(0).state;
  };
  const SharedValue<PodState> state = state_of(
      R"("initContainers":[{"name":"proxy","restartPolicy":"Always"},{"name":"fetch"}],"containers":[{"name":"train"}],
         "restartPolicy":"Never","schedulerName":"volcano","schedulingGates":[{"name":"g/1"},{"name":"g/2"}],
         "readinessGates":[{"conditionType":"x/up"},{"conditionType":"x/in"}])",
      R"("phase":"Pending","reason":"r","message":"m","nominatedNodeName":"n",
         "conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-26T13:38:14Z"},{"type":"x/up","status":"True"},
                       {"type":"PodReadyToStartContainers","status":"False"},
                       {"type":"Ready","status":"False","reason":"ContainersNotReady","message":"z","lastTransitionTime":"2026-11-26T13:38:15Z"}],
         "initContainerStatuses":[{"name":"proxy","ready":false,"started":true,"restartCount":2,"state":{"running":{"startedAt":"2026-11-26T13:38:16Z"}}},
                                  {"name":"done","ready":true,"state":{"terminated":{"exitCode":0}}}],
         "containerStatuses":[{"name":"train","state":{"waiting":{"reason":"CrashLoopBackOff","message":"w"}},
                               "lastState":{"terminated":{"exitCode":137,"signal":9,"reason":"OOMKilled","finishedAt":"2026-11-26T13:38:17Z"}}},
                              {"name":"log","ready":true,"state":{"running":{}}}])");
  REQUIRE(state);
  CHECK(state->reason == "r");
  CHECK(state->message == "m");
  CHECK(state->nominated_node == "n");
  CHECK(state->scheduler == "volcano");
  CHECK(state->restart_policy == "Never");
  CHECK(state->gates == std::vector<std::string>{"g/1", "g/2"});
  CHECK(state->readiness_gates == std::vector<std::string>{"x/in"});
  CHECK(state->scheduled.has_value());
  CHECK(state->has_sandbox == false);
  REQUIRE(state->conditions.size() == 1);
  CHECK(state->conditions[0].reason == "ContainersNotReady");
  CHECK(state->conditions[0].since == *state->scheduled + std::chrono::seconds(1));
  CHECK(state->main_containers == 2);
  REQUIRE(state->containers.size() == 2);
  const PodContainer& proxy = state->containers[0];
  CHECK((proxy.name == "proxy" && proxy.is_init && proxy.is_sidecar && proxy.is_started && !proxy.is_ready && proxy.restarts == 2));
  CHECK(proxy.state.kind == ContainerState::Kind::running);
  const PodContainer& train = state->containers[1];
  CHECK((train.name == "train" && !train.is_init && train.state.kind == ContainerState::Kind::waiting));
  CHECK((train.last.kind == ContainerState::Kind::ended && train.last.exit_code == 137 && train.last.signal == 9));
  CHECK(train.last.reason == "OOMKilled");
  CHECK(state->last_end == train.last.finished);

  const std::string ready = R"({"type":"Ready","status":"True"})";
  CHECK_FALSE(state_of("", R"("phase":"Running","conditions":[)" + ready + "]"));
  CHECK(state_of("", R"("phase":"Running","conditions":[)" + ready + R"(,{"type":"DisruptionTarget","status":"True"}])"));
  CHECK(state_of("", R"("phase":"Running","conditions":[{"type":"Ready","status":"Unknown"}])"));
  CHECK(state_of("", R"("phase":"Succeeded","conditions":[)" + ready + "]"));
  CHECK_FALSE(
      parsed_pods(list_of(R"({"metadata":{"name":"a"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}]}})"))
          .pods[0]
          .state);
  std::string many = R"("containerStatuses":[)";
  for (int i = 0; i < 1000; ++i) many += R"({"name":"c","state":{"waiting":{"reason":"x"}}},)";
  CHECK(state_of("", many + "{}]")->containers.size() == 16);
}

TEST_CASE("answers of real clusters") {
  const PodList three = parsed_pods(read_sample("kubernetes/real.list-3-pods.json"));
  CHECK(three.pods.size() == 3);
  CHECK(three.next_page.empty());
  const PodList first = parsed_pods(read_sample("kubernetes/real.page-1-of-3.json"));
  CHECK(first.pods.size() == 2);
  CHECK_FALSE(first.next_page.empty());
}

TEST_CASE("nulls and unknown fields do not matter") {
  CHECK(parsed_pods(R"({"items":null,"metadata":null,"kind":null})").pods.empty());
  const PodList odd =
      parsed_pods(one_pod(R"(,"labels":null,"annotations":{},"namespace":null,"deletionTimestamp":null,"name2":{"name":[1]})",
                          R"(,"podIPs":null,"hostIP":null,"conditions":null,"containerStatuses":null,"x":[[{}]])"));
  CHECK(odd.pods.at(0).host_ip.empty());
  CHECK_FALSE(odd.pods.at(0).is_leaving);
  // Spec and status of a bookmark, which has no containers.
  CHECK(parsed_pods(list_of(R"({"metadata":{"name":"b"},"spec":{"containers":null},"status":{}})")).pods.at(0).phase.empty());
}

TEST_CASE("a label counts before the annotation of the same name") {
  const Pod pod = parsed_pods(one_pod(R"(,"labels":{"job-name":"j","batch.kubernetes.io/job-completion-index":"4"},
                                          "annotations":{"batch.kubernetes.io/job-completion-index":"5"})",
                                      ""))
                      .pods.at(0);
  CHECK(pod.label(PodLabel::completion_index) == "4");
  CHECK(pod.label(PodLabel::job_name) == "j");
  CHECK(pod.labels.size() == 2);
}

TEST_CASE("the owner of a pod is the one that controls it") {
  const std::string owner = R"({"apiVersion":"batch/v1","kind":"Job","name":"t","uid":"u-1","controller":true,"blockOwnerDeletion":true})";
  const auto pod = [](const std::string& name, const std::string& owners) {
    return fmt::format(R"({{"metadata":{{"name":"{}","ownerReferences":{}}}}})", name, owners);
  };
  const std::vector<Pod> pods =
      parsed_pods(list_of(pod("a", fmt::format(R"([{{"kind":"Node","controller":false,"uid":"n"}},{{"kind":"X"}},{}])", owner)) + "," +
                          pod("b", fmt::format("[{}]", owner)) + "," + pod("c", R"([{"kind":"Node","name":"n","controller":null}])") + "," +
                          pod("d", "null") + "," + pod("e", R"([{"kind":"Pod","controller":true}])")))
          .pods;
  REQUIRE(pods.at(0).owner);
  CHECK(pods[0].owner->api_version == "batch/v1");
  CHECK(pods[0].owner->kind == "Job");
  CHECK(pods[0].owner->name == "t");
  CHECK(pods[0].owner->uid == "u-1");
  CHECK(&*pods[0].owner == &*pods.at(1).owner);
  CHECK_FALSE(pods.at(2).owner);
  CHECK_FALSE(pods.at(3).owner);
  REQUIRE(pods.at(4).owner);
  CHECK(pods[4].owner->kind == "Pod");
  CHECK(pods[4].owner->uid.empty());
  check_refused_pods(list_of(pod("a", R"([{"controller":"true"}])")), Errc::malformed_response, "controller is not a boolean");
  check_refused_pods(list_of(pod("a", R"([{"uid":true}])")), Errc::malformed_response, "uid is not a text");
  check_refused_pods(list_of(pod("a", "[7]")), Errc::malformed_response, "is not an object");
}

TEST_CASE("every kept field is refused when it is of the wrong type") {
  check_refused_pods("[]", Errc::malformed_response, "not an object");
  check_refused_pods("3", Errc::malformed_response, "not an object");
  check_refused_pods("{}", Errc::malformed_response, "has no items");
  check_refused_pods(R"({"kind":"Status","items":[]})", Errc::malformed_response, "is a 'Status', not a PodList");
  check_refused_pods(R"({"kind":{},"items":[]})", Errc::malformed_response, "kind is not a text");
  check_refused_pods(R"({"items":{}})", Errc::malformed_response, "items is not an array");
  check_refused_pods(R"({"items":"x"})", Errc::malformed_response, "items is not an array");
  check_refused_pods(R"({"items":[],"items":[]})", Errc::malformed_response, "items twice");
  check_refused_pods(R"({"items":[],"metadata":[]})", Errc::malformed_response, "metadata is not an object");
  check_refused_pods(R"({"items":[],"metadata":{"continue":7}})", Errc::malformed_response, "metadata.continue is not a text");
  check_refused_pods(list_of("7"), Errc::malformed_response, "items[0] is not an object");
  check_refused_pods(list_of("null"), Errc::malformed_response, "items[0] is not an object");
  check_refused_pods(list_of("[]"), Errc::malformed_response, "is an array");
  check_refused_pods(list_of("{}"), Errc::malformed_response, "items[0].metadata.name is missing");
  check_refused_pods(list_of(R"({"metadata":{"name":""}})"), Errc::malformed_response, "items[0].metadata.name is missing");
  check_refused_pods(list_of(R"({"metadata":"x"})"), Errc::malformed_response, "items[0].metadata is not an object");
  check_refused_pods(list_of(R"({"metadata":{"name":{}}})"), Errc::malformed_response, "items[0].metadata.name is not a text");
  check_refused_pods(list_of(R"({"metadata":{"name":1}})"), Errc::malformed_response, "items[0].metadata.name is not a text");
  check_refused_pods(one_pod(R"(,"namespace":[])", ""), Errc::malformed_response, ".metadata.namespace is not a text");
  check_refused_pods(one_pod(R"(,"deletionTimestamp":true)", ""), Errc::malformed_response, ".metadata.deletionTimestamp is not a text");
  check_refused_pods(one_pod(R"(,"labels":[])", ""), Errc::malformed_response, ".metadata.labels is not an object");
  check_refused_pods(one_pod(R"(,"labels":{"job-name":1})", ""), Errc::malformed_response, ".metadata.labels[] is not a text");
  check_refused_pods(list_of(R"({"metadata":{"name":"a"},"status":7})"), Errc::malformed_response, "items[0].status is not an object");
  for (const char* const field : {"reason", "hostIP", "podIP"}) {
    check_refused_pods(one_pod("", fmt::format(R"(,"{}":7)", field)), Errc::malformed_response,
                       fmt::format(".status.{} is not a text", field));
    check_refused_pods(one_pod("", fmt::format(R"(,"{}":{{}})", field)), Errc::malformed_response, "is not a text");
  }
  for (const char* const field : {"hostIPs", "podIPs", "conditions", "containerStatuses"}) {
    check_refused_pods(one_pod("", fmt::format(R"(,"{}":{{}})", field)), Errc::malformed_response,
                       fmt::format(".status.{} is not an array", field));
    check_refused_pods(one_pod("", fmt::format(R"(,"{}":[7])", field)), Errc::malformed_response, "is not an object");
    check_refused_pods(one_pod("", fmt::format(R"(,"{}":[[]])", field)), Errc::malformed_response, "is an array");
  }
  check_refused_pods(one_pod("", R"(,"podIPs":[{"ip":7}])"), Errc::malformed_response, "[].ip is not a text");
  check_refused_pods(one_pod("", R"(,"conditions":[{"type":7}])"), Errc::malformed_response, "conditions[].type is not a text");
  check_refused_pods(one_pod("", R"(,"containerStatuses":[{"state":7}])"), Errc::malformed_response, "state is not an object");
  check_refused_pods(one_pod("", R"(,"containerStatuses":[{"state":{"waiting":[]}}])"), Errc::malformed_response,
                     "waiting is not an object");
  check_refused_pods(one_pod("", R"(,"containerStatuses":[{"ready":"true"}])"), Errc::malformed_response, "ready is not a boolean");
  check_refused_pods(one_pod("", R"(,"initContainerStatuses":[{"restartCount":"1"}])"), Errc::malformed_response,
                     "restartCount is not a whole number");
  check_refused_pods(one_pod("", R"(,"containerStatuses":[{"lastState":{"terminated":{"exitCode":1.5}}}])"), Errc::malformed_response,
                     "exitCode is not a whole number");
}

TEST_CASE("documents that are not pod lists") {
  check_refused_pods("", Errc::malformed_response, "is empty, not JSON");
  check_refused_pods("<html></html>", Errc::malformed_response, "HTML page");
  check_refused_pods(R"({"items":[)", Errc::malformed_response, "cut short");
  check_refused_pods(R"({"items":[]} x)", Errc::malformed_response, "not JSON");
  check_refused_pods(R"({"items":[],"x":)" + nested(100) + "}", Errc::limit_exceeded, "nests too deeply");
}

TEST_CASE("limits of a pod list") {
  ParseLimits limits;
  limits.max_nodes = 2;
  limits.max_text = 100;
  check_refused_pods(list_of(R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}})"), Errc::limit_exceeded,
                     "too many pods", limits);
  check_refused_pods(list_of(R"({"metadata":{"name":")" + std::string(101, 'x') + R"("}})"), Errc::limit_exceeded, "more than 100 bytes",
                     limits);
  const std::string unwanted = one_pod(R"(,"annotations":{"big":")" + std::string(100'000, 'x') + R"("})", "");
  CHECK(parse_pod_list(unwanted, limits).has_value());
  const std::string talk(200, 'm');
  const std::string chatty =
      one_pod("", fmt::format(R"(,"reason":"{0}","conditions":[{{"type":"PodScheduled","status":"False","message":"{0}"}}])", talk));
  for (const std::size_t size : {chatty.size(), std::size_t{7}}) {
    Pod reported;  // displayed texts are cut
    PodListParser parser(
        [&reported](Pod& pod) {
          reported = pod;
          return Result<void>();
        },
        limits);
    for (std::size_t at = 0; at < chatty.size(); at += size) REQUIRE(parser.feed(chatty.substr(at, size)).has_value());
    REQUIRE(parser.finish().has_value());
    REQUIRE(reported.state);
    CHECK(reported.state->reason == talk.substr(0, 100));
    CHECK(reported.state->conditions.at(0).message == talk.substr(0, 100));
  }
  std::string many = R"(,"podIPs":[)";
  for (int i = 0; i < 1000; ++i) many += R"({"ip":"10.0.0.1"},)";
  CHECK(parsed_pods(one_pod("", many + "{}]")).pods[0].pod_ips.size() == 16);
}

TEST_CASE("where the chunks of a pod list are cut does not matter") {
  for (const std::string& sample : samples("kubernetes", "podlist.")) {
    const std::string json = read_sample(sample);
    const PodList whole = parsed_pods(json);
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1000}}) {
      std::vector<Pod> pods;
      PodListParser parser([&pods](Pod& pod) {
        pods.push_back(std::move(pod));
        return Result<void>();
      });
      for (std::size_t at = 0; at < json.size(); at += size) {
        const std::string piece = json.substr(at, size);  // a copy, so that a view kept across chunks shows under ASan
        REQUIRE(parser.feed(piece).has_value());
      }
      REQUIRE(parser.finish().has_value());
      CHECK(pods == whole.pods);
      CHECK(parser.next_page() == whole.next_page);
    }
  }
}

TEST_CASE("the consumer of the pods may end the parser") {
  int taken = 0;
  PodListParser parser([&taken](Pod&) { return ++taken < 2 ? Result<void>() : Failure(Errc::limit_exceeded, "enough"); });
  const Result<void> fed = parser.feed(list_of(R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}})"));
  REQUIRE(!fed);
  CHECK(fed.error().what() == "enough");
  CHECK(taken == 2);
  CHECK(parser.finish().error().what() == "enough");
}
