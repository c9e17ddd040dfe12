// What members of pods carry: machine, accelerators, part; the type of their TPUs, and num_accelerators().
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/tpu_call.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

using NodeLabels = std::vector<std::pair<std::string, std::string>>;

std::string detailed_pod(const std::string& name, const std::string& resources, const NodeLabels& selector = {},
                         const NodeLabels& labels = {}) {
  std::string selected = labels_json(selector).substr(std::string(R"(,"labels":)").size());
  return fmt::format(
      R"({{"metadata":{{"name":"{0}","namespace":"train"{1}}},"spec":{{"nodeName":"node-of-{0}","nodeSelector":{2},"containers":[{{"resources":{{"limits":{{{3}}}}}}}]}},"status":{{"phase":"Running","podIP":"10.8.0.1","hostIP":"10.0.0.1"}}}})",
      name, labels.empty() ? std::string() : labels_json(labels), selected, resources);
}

ClusterStatus status_of_pods(const std::string& pods, KubernetesOptions options = at_test_server()) {
  TestRuntime t;
  t.answer(200, list_json(pods));
  return t.run(make_kubernetes_resolver(t.runtime, std::move(options))->cluster_status());
}

NodeLabels gke(const std::string& accelerator, const std::string& topology) {
  return {{"cloud.google.com/gke-tpu-accelerator", accelerator}, {"cloud.google.com/gke-tpu-topology", topology}};
}

std::string type_of_pods(const std::string& accelerator, const std::string& topology) {
  return status_of_pods(detailed_pod("a", R"("google.com/tpu":"4")", gke(accelerator, topology))).accelerator_type;
}

NodeLabels in_job_set(const std::string& job, const std::string& index, const std::string& replicas) {
  return {{"jobset.sigs.k8s.io/jobset-name", "s"},
          {"jobset.sigs.k8s.io/job-index", job},
          {"jobset.sigs.k8s.io/job-global-index", job},
          {"jobset.sigs.k8s.io/replicatedjob-replicas", replicas},
          {"job-name", "s-w-" + job},
          {"batch.kubernetes.io/job-completion-index", index}};
}

constexpr const char* eight_gpus = R"("nvidia.com/gpu":"8")";

std::string counts_of_pods(const std::string& pods, std::optional<int> task = {}) {
  TestRuntime t;
  t.answer(200, list_json(pods));
  const auto resolver = make_kubernetes_resolver(t.runtime, at_test_server());
  const std::optional<std::string> job = task ? std::optional<std::string>("worker") : std::nullopt;
  const Result<AcceleratorCounts> counts = t.run(resolver->try_num_accelerators(job, task));
  return counts ? counts->to_text() : counts.error().message();
}

}  // namespace

TEST_CASE("a pod's machine and GPUs") {
  const ClusterStatus status = status_of_pods(detailed_pod("a", eight_gpus, {{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"}}) + "," +
                                              detailed_pod("b", eight_gpus));
  REQUIRE(status.members.size() == 2);
  CHECK(status.members[0].host == "node-of-a");
  Accelerators h100("GPU", 8, "resource limits");
  h100.model = "H100";
  CHECK(status.members[0].accelerators == h100);
  CHECK(status.members[1].accelerators == Accelerators("GPU", 8, "resource limits"));
  CHECK_FALSE(status.members[0].part);
  CHECK(status.accelerator_type.empty());
}

TEST_CASE("a pod that asks for no accelerators has none of the kind that others have") {
  const ClusterStatus mixed = status_of_pods(detailed_pod("a", R"("cpu":"1")") + "," + detailed_pod("b", eight_gpus));
  CHECK(mixed.members.at(0).accelerators == Accelerators("GPU", 0, "resource limits"));
  CHECK_FALSE(status_of_pods(detailed_pod("a", "")).members.at(0).accelerators);
  const ClusterStatus both =
      status_of_pods(detailed_pod("a", "") + "," + detailed_pod("b", eight_gpus) + "," + detailed_pod("c", R"("google.com/tpu":"4")"));
  CHECK_FALSE(both.members.at(0).accelerators);
}

TEST_CASE("TPUs by GKE's labels") {
  CHECK(type_of_pods("tpu-v5-lite-podslice", "2x4") == "v5litepod-8");
  CHECK(type_of_pods("tpu-v5-lite-device", "2x2") == "v5litepod-4");
  CHECK(type_of_pods("tpu-v6e-slice", "16x16") == "v6e-256");
  CHECK(type_of_pods("tpu-v4-podslice", "2x2x2") == "v4-16");
  CHECK(type_of_pods("tpu-v5p-slice", "2x2x4") == "v5p-32");
  CHECK(type_of_pods("tpu7x", "2x2x1") == "tpu7x-8");
  CHECK(type_of_pods("tpu-v3-slice", "4x4") == "v3-32");
  // The name of this size is that of another shape.
  CHECK(type_of_pods("tpu-v4-podslice", "4x4x16") == "v4-4x4x16");
  CHECK(type_of_pods("tpu-v5-lite-podslice", "3x5").empty());
  CHECK(type_of_pods("tpu-v9-slice", "2x4").empty());
  const ClusterStatus unknown = status_of_pods(detailed_pod("a", R"("google.com/tpu":"4")", gke("tpu-v9-slice", "2x4")));
  CHECK(unknown.members.at(0).accelerators->model == "tpu-v9-slice");
  CHECK(unknown.members.at(0).accelerators->count == 4);
  // Two devices to a chip.
  const ClusterStatus ironwood = status_of_pods(detailed_pod("a", R"("google.com/tpu":"4")", gke("tpu7x", "2x2x1")));
  CHECK(ironwood.members.at(0).accelerators->count == 8);
  const ClusterStatus mixed = status_of_pods(detailed_pod("a", R"("google.com/tpu":"4")", gke("tpu-v6e-slice", "2x4")) + "," +
                                             detailed_pod("b", R"("google.com/tpu":"4")", gke("tpu-v6e-slice", "4x4")));
  CHECK(mixed.accelerator_type.empty());
}

TEST_CASE("the part of a JobSet or of a LeaderWorkerSet") {
  const std::string two = detailed_pod("s-w-0-0-aaaaa", "", {}, in_job_set("0", "0", "2")) + "," +
                          detailed_pod("s-w-1-0-bbbbb", "", {}, in_job_set("1", "0", "2"));
  const ClusterStatus chosen = status_of_pods(two);
  REQUIRE(chosen.members.size() == 2);
  MemberPart part("job", 1, 0);
  part.name = "s-w-1";
  CHECK(chosen.members[1].part == part);
  part.count = 2;
  CHECK(status_of_pods(two, at_test_server().counts_parts(true)).members[1].part == part);
  CHECK_FALSE(status_of_pods(detailed_pod("s-w-0-0-aaaaa", "", {}, in_job_set("0", "0", "1"))).members.at(0).part);
  CHECK_FALSE(status_of_pods(detailed_pod("s-w-2-0-aaaaa", "", {}, in_job_set("2", "0", "2"))).members.at(0).part);  // contradicts itself

  const ClusterStatus groups = status_of_pods(detailed_pod("l-1-2", "", {},
                                                           {{"leaderworkerset.sigs.k8s.io/name", "l"},
                                                            {"leaderworkerset.sigs.k8s.io/group-index", "1"},
                                                            {"leaderworkerset.sigs.k8s.io/worker-index", "2"},
                                                            {"leaderworkerset.sigs.k8s.io/size", "4"}}));
  MemberPart group("group", 1, 0);
  group.member = 2;
  group.members = 4;
  group.name = "l-1";
  CHECK(groups.members.at(0).part == group);
}

TEST_CASE("num_accelerators() by what the pods ask for") {
  CHECK(counts_of_pods(detailed_pod("a", eight_gpus) + "," + detailed_pod("b", eight_gpus)) == "{'GPU': 8}");
  const std::string mixed = detailed_pod("a", eight_gpus) + "," + detailed_pod("b", R"("nvidia.com/gpu":"4")");
  CHECK_THAT(counts_of_pods(mixed),
             Contains("the members have different accelerators: worker 0 (") && Contains("): 8 GPU; worker 1 (") && Contains("): 4 GPU"));
  CHECK(counts_of_pods(mixed, 1) == "{'GPU': 4}");
  // Where it is not known, the runtime is asked, as upstream does.
  CHECK_THAT(counts_of_pods(detailed_pod("a", "")), Contains("there is no master to ask"));
}
