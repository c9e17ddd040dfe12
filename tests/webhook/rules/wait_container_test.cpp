#include "webhook/rules/wait_container.hpp"

#include <catch2/catch.hpp>

#include "json/json_dom.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace rollcall::webhook;

namespace {

AdmittedPod waiting_pod(std::string until = {}, std::string members = {}, std::string timeout = {}) {
  AdmittedPod pod;
  pod.kind = "Pod";
  pod.wait = "tpu:trainer";
  pod.until = std::move(until);
  pod.members = std::move(members);
  pod.timeout = std::move(timeout);
  return pod;
}

std::vector<std::string> arguments_of(const AdmittedPod& pod, std::string_view usual = {}) {
  return value_of(wait_container(pod, "image", usual)).arguments;
}

}  // namespace

TEST_CASE("the annotations are the words of rollcall wait") {
  using Words = std::vector<std::string>;
  CHECK(arguments_of(waiting_pod()) == Words{"wait", "tpu:trainer"});
  CHECK(arguments_of(waiting_pod(), "endpoints") == Words{"wait", "tpu:trainer", "--until", "endpoints"});
  CHECK(arguments_of(waiting_pod("endpoints,state", "64", "1h30m"), "endpoints") ==
        Words{"wait", "tpu:trainer", "--until", "state,endpoints", "--members", "64", "--timeout", "1h30m"});
}

TEST_CASE("a wrong annotation is named") {
  const auto refusal = [](const AdmittedPod& pod) { return wait_container(pod, "image", ""); };
  check_failure(refusal(waiting_pod("redy")), Errc::invalid_argument, "rollcall.dev/wait-until", "redy");
  for (const char* const members : {"0", "-1", "4x", "1000001"})
    check_failure(refusal(waiting_pod("", members)), Errc::invalid_argument, "rollcall.dev/wait-members", members);
  check_failure(refusal(waiting_pod("", "", "soon")), Errc::invalid_argument, "rollcall.dev/wait-timeout", "soon");
}

TEST_CASE("Kubernetes puts no variables into the words of the container") {
  AdmittedPod pod = waiting_pod();
  pod.wait = "file:/a/$(HOSTNAME)$b";
  CHECK_THAT(patch_in_front(pod, value_of(wait_container(pod, "image", ""))),
             Catch::Contains(R"("args":["wait","file:/a/$$(HOSTNAME)$$b"])"));
}

TEST_CASE("the container comes before all others, once") {
  AdmittedPod pod = waiting_pod();
  const WaitContainer container = value_of(wait_container(pod, "registry.example/rollcall:1", ""));
  const std::string first = patch_in_front(pod, container);
  CHECK_THAT(first, Catch::StartsWith(R"([{"op":"add","path":"/spec/initContainers","value":[{"name":"rollcall-wait",)"
                                      R"("image":"registry.example/rollcall:1","args":["wait","tpu:trainer"],)"));
  CHECK_FALSE(has_wait_container(pod));
  pod.init_containers.emplace_back().name = "other";
  const std::string second = patch_in_front(pod, container);
  CHECK_THAT(second, Catch::StartsWith(R"([{"op":"add","path":"/spec/initContainers/0","value":{"name":"rollcall-wait",)"));
  for (const std::string& patch : {first, second}) CHECK(JsonDocument::parse("the patch", patch));
  pod.init_containers.emplace_back().name = std::string(wait_container_name);
  CHECK(has_wait_container(pod));
}
