// Which nodes are well.
#include "resolvers/kubernetes/chain/rules/node_rules.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include "json/json_dom.hpp"
#include "rollcall/cause_text.hpp"
#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

std::string verdict_on(const std::string& spec, const std::string& status, const std::string& labels = "{}") {
  const Result<NodeFacts> node =
      parse_node(fmt::format(R"({{"metadata":{{"name":"g2","labels":{}}},"spec":{},"status":{}}})", labels, spec, status), ParseLimits());
  REQUIRE(node);
  std::string text;
  for (const Cause& cause : judge_node(*node).causes) text += (text.empty() ? "" : "; ") + cause.code + ": " + cause.text;
  return text;
}

std::string condition(const std::string& type, const std::string& status, const std::string& message = "words") {
  return fmt::format(R"({{"conditions":[{{"type":"Ready","status":"True"}},{{"type":"{}","status":"{}","reason":"R","message":"{}"}}]}})",
                     type, status, message);
}

}  // namespace

TEST_CASE("real nodes: a GPU with an XID error on a ready node, and a node whose kubelet died") {
  const std::string list = read_sample("kubernetes/chain/nodes.json");
  const Result<JsonDocument> document = JsonDocument::parse("nodes", list);
  REQUIRE(document);
  int bad = 0;
  for (const boost::json::value& item : document->root().at("items").as_array()) {
    const Result<NodeFacts> node = parse_node(boost::json::serialize(item), ParseLimits());
    REQUIRE(node);
    const NodeVerdict verdict = judge_node(*node);
    CHECK_FALSE(verdict.is_down);
    if (node->name != "g2") {
      CHECK(verdict.causes.empty());
      continue;
    }
    ++bad;
    REQUIRE_FALSE(verdict.causes.empty());
    CHECK(verdict.causes.front().layer == CauseLayer::node);
    CHECK(verdict.causes.front().code == "SysLogsXIDError");
    CHECK(verdict.causes.front().object == "Node g2");
    CHECK_THAT(verdict.causes.front().text, Contains("its kubelet says that it is ready"));
  }
  CHECK(bad == 1);
  const Result<NodeFacts> dead = parse_node(read_sample("kubernetes/chain/node.unknown.json"), ParseLimits());
  REQUIRE(dead);
  const NodeVerdict verdict = judge_node(*dead);
  CHECK(verdict.is_down);
  REQUIRE(verdict.causes.size() == 1);
  CHECK(verdict.causes.front().code == "NodeStatusUnknown");
  CHECK(verdict.causes.front().text == "Kubelet stopped posting node status.");
}

TEST_CASE("a condition is bad by its type, not because it is True") {
  for (const char* const type :
       {"GpuThermalWatch", "SysLogsXIDError", "KernelDeadlock", "ReadonlyFilesystem", "NVSwitchDown", "DiskPressure", "CSPMaintenance",
        "FrequentKubeletRestart", "ContainerRuntimeUnhealthy", "MyDriverProblem", "GPUMissing", "NVLinkStatusInactive", "IBLinkFlapping",
        "MissingIBDevices", "VMEventScheduled", "HCAFellOffTheBus"}) {
    CAPTURE(type);
    CHECK_THAT(verdict_on("{}", condition(type, "True")), Contains(type));
    CHECK(verdict_on("{}", condition(type, "False")).empty());
    CHECK(verdict_on("{}", condition(type, "Unknown")).empty());
  }
  for (const char* const type : {"EtcdIsVoter", "SomethingReady", "KernelReady", "GPUHealthy"}) {
    CAPTURE(type);
    CHECK(verdict_on("{}", condition(type, "True")).empty());
  }
  for (const char* const type : {"AcceleratedHardwareReady", "KernelReady", "GPUHealthy"}) {
    CAPTURE(type);
    CHECK_THAT(verdict_on("{}", condition(type, "False")), Contains(type));
  }
}

TEST_CASE("taints that keep others off are normal, those of a fault are not") {
  const auto tainted = [](const std::string& key, const std::string& effect = "NoSchedule") {
    return verdict_on(fmt::format(R"({{"taints":[{{"key":"{}","value":"present","effect":"{}"}}]}})", key, effect),
                      R"({"conditions":[{"type":"Ready","status":"True"}]})");
  };
  for (const char* const key : {"nvidia.com/gpu", "google.com/tpu", "aws.amazon.com/neuron", "amd.com/gpu", "team", "dedicated"}) {
    CAPTURE(key);
    CHECK(tainted(key).empty());
  }
  for (const char* const key : {"nvidia.com/gpu-xid-error", "ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted",
                                "cloud.google.com/impending-node-termination", "node.kubernetes.io/out-of-service"}) {
    CAPTURE(key);
    CHECK_THAT(tainted(key), Contains(key));
  }
}

TEST_CASE("cordons, labels and missing devices") {
  CHECK_THAT(verdict_on(R"({"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]})", "{}"),
             Catch::Equals("Cordoned: no new pod is placed on it"));
  CHECK_THAT(verdict_on("{}", R"({"capacity":{"nvidia.com/gpu":"8","cpu":"4"},"allocatable":{"nvidia.com/gpu":"7","cpu":"3"}})"),
             Catch::Equals("DevicesUnhealthy: 7 of 8 nvidia.com/gpu are healthy"));
  CHECK_THAT(verdict_on("{}", "{}", R"({"sagemaker.amazonaws.com/node-health-status":"UnschedulablePendingReboot"})"),
             Contains("UnschedulablePendingReboot"));
  CHECK(verdict_on("{}", "{}", R"({"sagemaker.amazonaws.com/node-health-status":"Schedulable"})").empty());
  CHECK_THAT(verdict_on("{}", "{}", R"({"cloud.google.com/scheduled-maintenance-time":"1795737600"})"), Contains("2026-11-27T00:00:00Z"));
  CHECK(verdict_on("{}", "{}", R"({"cloud.google.com/scheduled-maintenance-time":"-1"})").empty());
  CHECK_FALSE(parse_node("{}", ParseLimits()));
  CHECK_FALSE(parse_node("[]", ParseLimits()));
}
