// The accelerators that pods ask for, read from lists of pods with PodDetail::readiness.
#include "resolvers/kubernetes/wire/pod_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "support/parse_result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::vector<Pod> detailed_pods(const std::string& json) {
  std::vector<Pod> pods;
  PodListParser parser(
      [&pods](Pod& pod) {
        pods.push_back(pod);
        return Result<void>();
      },
      PodDetail::readiness, ParseLimits());
  // In small pieces, since answers arrive so.
  for (std::size_t at = 0; at < json.size(); at += 7) REQUIRE(parser.feed(std::string_view(json).substr(at, 7)).has_value());
  REQUIRE(parser.finish().has_value());
  return pods;
}

Pod pod_with(const std::string& spec) {
  return detailed_pods(fmt::format(R"({{"items":[{{"metadata":{{"name":"a"}},"spec":{{{}}},"status":{{}}}}]}})", spec)).at(0);
}

// `8 GPU`, `none` or `unknown`.
std::string asked_by(const std::string& spec) {
  const std::optional<PodResources::Total> total = pod_with(spec).resources.total();
  if (!total) return "unknown";
  return total->kind ? fmt::format("{} {}", total->count, to_string(*total->kind)) : "none";
}

std::string limits_of(const std::string& list) { return fmt::format(R"({{"resources":{{"limits":{{{}}}}}}})", list); }
std::string containers(const std::string& list) { return fmt::format(R"("containers":[{}])", list); }

}  // namespace

TEST_CASE("accelerators of containers are added up") {
  const std::string four = limits_of(R"("cpu":"8","memory":"1Gi","nvidia.com/gpu":"4","rdma/hca":"1","vpc.amazonaws.com/efa":4)");
  CHECK(asked_by(containers(four)) == "4 GPU");
  CHECK(asked_by(containers(four + "," + four)) == "8 GPU");
  CHECK(asked_by(containers(R"({"resources":{"requests":{"nvidia.com/gpu":"4"},"limits":{"nvidia.com/gpu":"4"}}})")) == "4 GPU");
  CHECK(asked_by(containers(R"({"resources":{"requests":{"nvidia.com/gpu":4}}})")) == "4 GPU");
  CHECK(asked_by(containers(R"({"name":"x","resources":{}})")) == "none");
  CHECK(asked_by(containers(R"({"resources":{"limits":null,"requests":{"cpu":"100m"}}})")) == "none");
  CHECK(asked_by(R"("nodeName":"n1")") == "none");
}

TEST_CASE("the kinds of accelerators") {
  const auto one = [](const std::string& resource) { return asked_by(containers(limits_of(fmt::format(R"("{}":"2")", resource)))); };
  CHECK(one("nvidia.com/mig-1g.10gb") == "2 GPU");
  CHECK(one("nvidia.com/gpu.shared") == "2 GPU");
  CHECK(one("amd.com/gpu") == "2 GPU");
  CHECK(one("amd.com/cpx_nps4") == "2 GPU");
  CHECK(one("amd.com/spx_nps1") == "2 GPU");
  CHECK(one("gpu.intel.com/xe") == "2 GPU");
  CHECK(one("gpu.intel.com/i915_monitoring") == "none");
  CHECK(one("google.com/tpu") == "2 TPU");
  CHECK(one("aws.amazon.com/neuron") == "2 NEURON");
  CHECK(one("aws.amazon.com/neurondevice") == "2 NEURON");
  CHECK(one("aws.amazon.com/neuroncore") == "2 NEURON_CORE");
  CHECK(one("habana.ai/gaudi") == "2 HPU");
  CHECK(one("huawei.com/Ascend910") == "2 NPU");
  CHECK(one("cambricon.com/mlu") == "2 MLU");
  // A resource that is not known may be an accelerator.
  CHECK(one("example.com/accelerator") == "unknown");
  CHECK(asked_by(containers(limits_of(R"("nvidia.com/gpu":"1","example.com/thing":"1")"))) == "1 GPU");
  // Chips and cores, or devices of two kinds, are not added up.
  CHECK(asked_by(containers(limits_of(R"("aws.amazon.com/neuron":"1","aws.amazon.com/neuroncore":"2")"))) == "unknown");
  CHECK(asked_by(containers(limits_of(R"("nvidia.com/mig-1g.10gb":"2","nvidia.com/mig-2g.20gb":"1")"))) == "3 GPU");
}

TEST_CASE("init containers run before the others, sidecars beside them") {
  const auto init = [](const char* count, bool is_sidecar) {
    return fmt::format(R"({{"resources":{{"limits":{{"nvidia.com/gpu":"{}"}}}}{}}})", count,
                       is_sidecar ? R"(,"restartPolicy":"Always")" : "");
  };
  const auto with = [&](const std::string& inits) {
    return fmt::format(R"("initContainers":[{}],)", inits) + containers(init("2", false));
  };
  CHECK(asked_by(with(init("1", false))) == "2 GPU");
  CHECK(asked_by(with(init("8", false))) == "8 GPU");
  CHECK(asked_by(with(init("1", true))) == "3 GPU");
  CHECK(asked_by(with(init("1", true) + "," + init("4", false))) == "5 GPU");
  CHECK(asked_by(with(init("4", false) + "," + init("1", true))) == "4 GPU");
  // A restart policy of the pod's own containers makes no sidecar.
  CHECK(asked_by(containers(init("2", true))) == "2 GPU");
}

TEST_CASE("quantities that are none leave the number open") {
  for (const char* const quantity : {"\"x\"", "\"-1\"", "-1", "\"1.5\"", "\"500m\"", "\"\"", "99999999999", "\"99999999999\"", "\"2000k\""})
    CHECK(asked_by(containers(limits_of(fmt::format(R"("nvidia.com/gpu":{})", quantity)))) == "unknown");
  CHECK(asked_by(containers(limits_of(R"("nvidia.com/gpu":"1k")"))) == "1000 GPU");
  CHECK(asked_by(containers(limits_of(R"("nvidia.com/gpu":"0")"))) == "none");
}

TEST_CASE("the claims of a pod") {
  const std::string spec =
      R"("resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"},{"name":"b","resourceClaimName":"shared"},{"name":"c","resourceClaimTemplateName":"t"},{"name":"d","resourceClaimTemplateName":"t"}],"containers":[{"resources":{"claims":[{"name":"a"},{"name":"b","request":"x"}]}},{"resources":{"claims":[{"name":"a"}],"limits":{"nvidia.com/gpu":"1"}}}])";
  const std::string status = R"("resourceClaimStatuses":[{"name":"a","resourceClaimName":"a-1"},{"name":"c"}])";
  // The status may come first.
  for (const std::string& body :
       {fmt::format(R"("spec":{{{}}},"status":{{{}}})", spec, status), fmt::format(R"("status":{{{}}},"spec":{{{}}})", status, spec)}) {
    const Pod pod = detailed_pods(fmt::format(R"({{"items":[{{"metadata":{{"name":"p"}},{}}}]}})", body)).at(0);
    std::vector<std::string> claims;
    for (const PodClaim& claim : pod.claims.claims()) claims.push_back(claim.name + "=" + (claim.is_needless ? "needless" : claim.object));
    std::sort(claims.begin(), claims.end());
    CHECK(fmt::format("{}", fmt::join(claims, " ")) == "a=a-1 b=shared c=needless d=");
    std::string uses;
    for (const PodClaimUse& use : pod.claims.uses()) uses += use.name + "/" + use.request + " ";
    CHECK(uses == "a/ b/x ");
    CHECK(pod.resources.total()->count == 1);
  }
  std::string many;
  for (int i = 0; i < 1000; ++i) many += fmt::format(R"({}{{"name":"{}"}})", i == 0 ? "" : ",", i);
  CHECK(pod_with(R"("resourceClaims":[)" + many + "]").claims.is_cut());
  CHECK(pod_with(containers(R"({"resources":{"claims":[)" + many + "]}}")).claims.is_cut());
}

TEST_CASE("a resource that a claim made for the pod provides") {
  CHECK(asked_by(containers(limits_of(R"("deviceclass.resource.kubernetes.io/gpu.nvidia.com":"2")"))) == "2 GPU");
  CHECK(asked_by(containers(limits_of(R"("deviceclass.resource.kubernetes.io/ours":"2")"))) == "unknown");
}

TEST_CASE("what a pod says of its node") {
  const Pod selected = pod_with(
      R"("nodeName":"gke-1","nodeSelector":{"cloud.google.com/gke-tpu-topology":"2x4","disk":"ssd","cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice"})");
  CHECK(selected.node == "gke-1");
  CHECK(selected.node_label(NodeLabel::tpu_accelerator) == "tpu-v6e-slice");
  CHECK(selected.node_label(NodeLabel::tpu_topology) == "2x4");
  CHECK(selected.node_label(NodeLabel::gpu_model).empty());
  const auto affinity = [](const std::string& terms) {
    return pod_with(R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" + terms +
                    "]}}}");
  };
  const auto term = [](const std::string& how, const std::string& values) {
    return fmt::format(R"({{"matchExpressions":[{{"key":"nvidia.com/gpu.product","operator":"{}","values":[{}]}}]}})", how, values);
  };
  CHECK(affinity(term("In", R"("NVIDIA-B200")")).node_label(NodeLabel::gpu_model) == "NVIDIA-B200");
  CHECK(affinity(term("In", R"("NVIDIA-B200","NVIDIA-H200")")).node_label(NodeLabel::gpu_model).empty());
  CHECK(affinity(term("NotIn", R"("NVIDIA-B200")")).node_label(NodeLabel::gpu_model).empty());
  CHECK(affinity(term("In", R"("NVIDIA-B200")") + "," + term("In", R"("NVIDIA-H200")")).node_label(NodeLabel::gpu_model).empty());
  CHECK(affinity("{}").node_labels.empty());
}

TEST_CASE("one pod leaves nothing to the next") {
  const std::vector<Pod> pods = detailed_pods(
      R"({"items":[{"metadata":{"name":"a"},"spec":{"nodeName":"n","nodeSelector":{"nvidia.com/gpu.product":"x"},"containers":[)" +
      limits_of(R"("nvidia.com/gpu":"4")") + R"(]}},{"metadata":{"name":"b"},"spec":{"containers":[{}]}}]})");
  CHECK(pods.at(0).resources.total()->count == 4);
  CHECK_FALSE(pods.at(1).resources.total()->kind.has_value());
  CHECK(pods.at(1).node.empty());
  CHECK(pods.at(1).node_labels.empty());
}

TEST_CASE("the accelerators of samples") {
  const std::vector<Pod> slices = detailed_pods(read_sample("kubernetes/podlist.jobset-two-slices.json"));
  REQUIRE(slices.size() == 8);
  for (const Pod& pod : slices) {
    CHECK(pod.resources.total()->count == 4);
    CHECK(pod.node_label(NodeLabel::tpu_topology) == "4x4");
    CHECK(pod.label(PodLabel::jobset_replicas) == "2");
  }
  const std::vector<Pod> groups = detailed_pods(read_sample("kubernetes/podlist.lws-leader-without-tpu.json"));
  CHECK_FALSE(groups.at(0).resources.total()->kind.has_value());
  CHECK(groups.at(1).resources.total()->kind == PodResource::tpu);
  CHECK(groups.at(1).label(PodLabel::lws_size) == "3");
  // A spec needs none of it.
  CHECK_FALSE(parse_pod_list(read_sample("kubernetes/podlist.jobset-two-slices.json"))->pods.at(0).is_detailed);
}
