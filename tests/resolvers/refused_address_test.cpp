// Invalid addresses in a service's answer: where they are left out, and where they are reported.
#include <catch2/catch.hpp>

#include "base/text.hpp"
#include "resolvers/kubernetes/rules/pod_status.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/tpu_status.hpp"
#include "resolvers/tpu/wire/tpu_node.hpp"
#include "support/result.hpp"

using namespace rollcall;
using Catch::Contains;

namespace {

// As between the quotes of a JSON text.
constexpr const char* hostile_addresses[] = {R"(\u001b]0;PWNED\u0007\u001b[31m10.0.0.1\r\nworker 9 6.6.6.6:1)",
                                             R"(10.0.0.1\u009b)",
                                             R"(\u202e1.0.0.01)",
                                             "10.0.0.1,6.6.6.6",
                                             "evil.example,10.9.9.9",
                                             "evil.example",
                                             "-oProxyCommand=touch x",
                                             R"(10.0.0.1\n)",
                                             "10.0.0.1 10.0.0.2",
                                             R"(10.0.0.1\u0000)",
                                             "fe80::1%eth0"};

TpuNode node_with(const std::string& address) {
  const Result<TpuNode> node =
      parse_tpu_node(R"({"name":"projects/p/locations/z/nodes/t","state":"READY","acceleratorType":"v4-16","networkEndpoints":[)"
                     R"({"ipAddress":"10.0.0.1","port":8470,"accessConfig":{"externalIp":")" +
                     address + R"("}},{"ipAddress":")" + address + R"(","port":8470}]})");
  REQUIRE(node.has_value());
  return *node;
}

Pod pod_with(const std::string& status) {
  const Result<PodList> list =
      parse_pod_list(R"({"kind":"PodList","items":[{"metadata":{"name":"w-0"},"status":{"phase":"Running",)" + status + "}}]}");
  REQUIRE(list.has_value());
  return list->pods.front();
}

}  // namespace

TEST_CASE("a TPU's worker without an address does not affect the others, and the reason is reported") {
  for (const std::string address : hostile_addresses) {
    CAPTURE(address);
    const TpuNode node = node_with(address);
    CHECK(node.network_endpoints[0].external_ip.empty());
    CHECK(node.network_endpoints[1].ip_address.empty());
    const ClusterStatus status = tpu_status("t", node, "worker");
    REQUIRE(status.members.size() == 2);
    CHECK(status.members[0].address == "10.0.0.1:8470");
    CHECK(status.members[0].state.level == MemberState::ready);
    CHECK(status.members[1].address.empty());
    CHECK(status.members[1].state.level == MemberState::waiting);
    CHECK_THAT(status.members[1].state.text, Contains("networkEndpoints[1].ipAddress is '") && Contains("', not an address"));
    CHECK(printable_line(status.members[1].state.text) == status.members[1].state.text);
    const Result<ClusterSpec::Tasks> tasks = worker_tasks("t", node);
    testing::check_failure(tasks, Errc::malformed_response, "networkEndpoints[1].ipAddress is '");
  }
}

TEST_CASE("the older single address of a TPU obeys the same rule") {
  const TpuNode node = *parse_tpu_node(R"({"name":"n/t","state":"READY","acceleratorType":"v3-8","ipAddress":"a,b","port":"8470"})");
  CHECK(node.ip_address.empty());
  CHECK(worker_tasks("t", node).error().what() == "TPU 't': ipAddress is 'a,b', not an address");
  const ClusterStatus status = tpu_status("t", node, "worker");
  REQUIRE(status.members.size() == 1);
  CHECK(status.members[0].address.empty());
  CHECK(status.members[0].state == Condition(MemberState::waiting, "ipAddress is 'a,b', not an address"));
}

TEST_CASE("the last of a repeated address counts, whether it is one or not") {
  const auto last = [](const std::string& endpoint) {
    return parse_tpu_node(R"({"networkEndpoints":[{)" + endpoint + "}]}").value().network_endpoints.front();
  };
  CHECK(last(R"("ipAddress":"a,b","ipAddress":"10.0.0.1")").refused_ip.empty());
  CHECK(last(R"("ipAddress":"a,b","ipAddress":null)").refused_ip.empty());
  CHECK(last(R"("ipAddress":"a,b","ipAddress":"")").refused_ip.empty());
  CHECK(last(R"("ipAddress":"10.0.0.1","ipAddress":"a,b")").ip_address.empty());
}

TEST_CASE("a pod without an address does not affect the others, and the reason is reported") {
  for (const std::string address : hostile_addresses) {
    CAPTURE(address);
    for (const PodAddress which : {PodAddress::host, PodAddress::pod}) {
      const std::string field = which == PodAddress::host ? "hostIP" : "podIP";
      // If one of several addresses is invalid, the right one is not known.
      Pod pod = pod_with(R"(")" + field + R"(":")" + address + R"(",")" + field + R"(s":[{"ip":"10.0.0.1"}])");
      const FoundPod found = found_pod(pod, which, AddressFamily::any);
      CHECK(found.address.empty());
      CHECK(found.other_address.empty());
      KubernetesOptions options;
      options.address(which);
      PodPointers pods{&found};
      const Result<void> fit = fit_pods(pods, options, WallTime());
      testing::check_failure(fit, Errc::malformed_response, "pod 'w-0' has '", "' for an address, which is none");
      ClusterStatus status;
      FirstOrdinal first;
      PodClock clock{WallTime()};
      add_pods(status, "worker", {&found}, options, first, clock);
      REQUIRE(status.members.size() == 1);
      CHECK(status.members[0].address.empty());
      CHECK(status.members[0].state.level == MemberState::waiting);
      CHECK_THAT(status.members[0].state.text, Contains("has '") && Contains("' for an address, which is none"));
      CHECK(printable_line(status.members[0].state.text) == status.members[0].state.text);
    }
  }
}

TEST_CASE("an address of the other kind is not checked, and a very long one hides no pod") {
  Pod pod = pod_with(R"("hostIP":"10.0.0.1","podIP":"a,b")");
  CHECK(found_pod(pod, PodAddress::host, AddressFamily::any).address == "10.0.0.1");
  Pod max = pod_with(R"("hostIP":")" + std::string(100'000, '1') + "\"");
  CHECK(max.host_ip.empty());
  CHECK_FALSE(found_pod(max, PodAddress::host, AddressFamily::any).refused.empty());
}

TEST_CASE("names of a TPU are as safe to print as its address") {
  const TpuNode node = *parse_tpu_node(R"({"name":"n/t\u001b[2J\n","id":"1\r","state":"CREATING"})");
  const ClusterStatus status = tpu_status("t", node, "worker");
  CHECK(status.members.front().name == "t\\x1b[2J\\x0a");
  CHECK(printable_line(status.members.front().uid) == status.members.front().uid);
}
