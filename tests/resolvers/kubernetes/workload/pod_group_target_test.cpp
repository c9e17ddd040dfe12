// Clusters of pods that a scheduler, or a queue, takes together: PodGroups by their names, and Kueue's groups of plain pods.
#include "resolvers/kubernetes/workload/workload_api.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

const std::string volcano = "podgroup.scheduling.volcano.sh";
const std::string coscheduling = "podgroup.scheduling.x-k8s.io";

std::string plain_pods(int from, int to, const std::string& count, const std::string& group = "g") {
  std::string pods;
  for (int i = from; i < to; ++i) {
    pods += (pods.empty() ? "" : ",") + owned_pod(fmt::format("p-{}", i), {{"kueue.x-k8s.io/pod-group-name", group}, {"app", "x"}},
                                                  fmt::format(R"(,"annotations":{{"kueue.x-k8s.io/pod-group-total-count":"{}"}})", count));
  }
  return pods;
}

}  // namespace

TEST_CASE("a PodGroup by its label has as many pods as what makes them says") {
  WorkloadApi api;
  api.add(coscheduling, "g", workload_json(coscheduling, "g", R"({"minMember":2})"));
  api.add("job", "t", workload_json("job", "t", R"({"parallelism":4,"completions":4,"completionMode":"Indexed",
      "template":{"metadata":{"labels":{"scheduling.x-k8s.io/pod-group":"g"}}}})"));
  api.pods_of["scheduling.x-k8s.io/pod-group=g"] = job_pods("t", 0, 2, owner_json("job", "t"), {{"scheduling.x-k8s.io/pod-group", "g"}});
  const ClusterStatus status = api.status(api.named(coscheduling, "g"));
  CHECK(status.members.size() == 2);
  CHECK(status.expected == 4);
  CHECK(status.expected_source == "PodGroup g (Job t: 4)");
  check_failure(api.wait(api.named(coscheduling, "g")), Errc::deadline_exceeded, "2 of 4 ready");
}

TEST_CASE("a PodGroup by an annotation needs at least so many, and other pods of the namespace are not its") {
  WorkloadApi api;
  api.add(volcano, "g", workload_json(volcano, "g", R"({"minMember":3})"));
  const std::string mine = R"(,"annotations":{"scheduling.k8s.io/group-name":"g"})";
  const std::string other = R"(,"annotations":{"scheduling.volcano.sh/group-name":"h"})";
  api.pods = owned_pod("a", {}, mine) + "," + owned_pod("b", {}, other) + "," + owned_pod("c", {}, {});
  for (const int members : {1, 3}) {
    const ClusterStatus status = api.status(api.named(volcano, "g"));
    CHECK(status.members.size() == static_cast<std::size_t>(members));
    CHECK(status.expected == 3);
    CHECK(status.expected_source.starts_with("not known: PodGroup g says only that it needs at least 3; --members N"));
    api.pods += "," + owned_pod("d", {}, mine) + "," + owned_pod("e", {}, mine);
  }
  // Without pods it lacks all of those.
  api.pods.clear();
  CHECK(api.status(api.named(volcano, "g")).expected == 3);

  // Fewer by what makes its pods than it needs: both are named.
  api.add("job", "t", workload_json("job", "t", indexed(2)));
  api.pods = job_pods("t", 0, 2, owner_json("job", "t") + mine);
  const ClusterStatus few = api.status(api.named(volcano, "g"));
  CHECK(few.expected == 3);
  CHECK(few.expected_source.starts_with("not known: PodGroup g says only that it needs at least 3, and there are only 2 by Job t: 2"));
}

TEST_CASE("a PodGroup that a controller has made is of the controller's pods") {
  WorkloadApi api;
  api.add("vcjob", "v", workload_json("vcjob", "v", R"({"minAvailable":2,"tasks":[{"name":"worker","replicas":5}]})"));
  api.add(volcano, "v-1", workload_json(volcano, "v-1", R"({"minMember":2})", owner_json("vcjob", "v")));
  const ClusterStatus none = api.status(api.named(volcano, "v-1"));
  CHECK(none.expected == 5);
  CHECK(none.expected_source == "Job v: 5 (at least 2)");
}

TEST_CASE("a word for several kinds that the cluster has is asked back") {
  WorkloadApi api;
  api.add(coscheduling, "g", workload_json(coscheduling, "g", R"({"minMember":1})"));
  CHECK(api.status(api.named("podgroup", "g")).expected_source.find("PodGroup g") != std::string::npos);
  api.add(volcano, "g", workload_json(volcano, "g", R"({"minMember":1})"));
  const Result<ClusterStatus> both = api.run(api.named("podgroup", "g")->try_cluster_status());
  check_failure(both, Errc::failed_precondition,
                "the cluster has several kinds called PodGroup: podgroups.scheduling.volcano.sh, podgroups.scheduling.x-k8s.io");
  CHECK(both.error().hint() == "KIND.GROUP says which: podgroup.scheduling.volcano.sh");
  WorkloadApi neither;
  check_failure(neither.run(neither.named("podgroup", "g")->try_cluster_status()), Errc::failed_precondition,
                "the cluster has no PodGroup");
}

TEST_CASE("plain pods of a group of Kueue are as many as their annotation says") {
  WorkloadApi api;
  api.pods = plain_pods(0, 3, "4");
  for (const char* const selector : {"kueue.x-k8s.io/pod-group-name=g", "app=x"}) {
    const ClusterStatus status = api.status(api.by_label(selector));
    CHECK(status.expected == 4);
    CHECK(status.expected_source == "pod group g: 4");
    check_failure(api.wait(api.by_label(selector)), Errc::deadline_exceeded, "3 of 4 ready");
  }
  api.pods = plain_pods(0, 4, "4");
  CHECK(api.wait(api.by_label("app=x")));

  api.pods = plain_pods(0, 2, "4") + "," + plain_pods(2, 4, "3");
  const ClusterStatus disputed = api.status(api.by_label("app=x"));
  CHECK(disputed.expected == 4);
  CHECK(
      disputed.expected_source.starts_with("not known: the pods of pod group g contradict each other: 4 by 'train/p-0', 3 by 'train/p-2'"));
  for (const char* const wrong : {"", "0", "-4", "+4", " 4", "4.0", "99999999999", "four"}) {
    api.pods = plain_pods(0, 2, wrong);
    const ClusterStatus status = api.status(api.by_label("app=x"));
    CHECK(status.expected == 2);
    CHECK(status.expected_source.starts_with("not known: pod 'train/p-0' of pod group g does not say how many there are"));
  }
  api.pods = plain_pods(0, 3, "2");
  CHECK(api.status(api.by_label("app=x")).expected_source.starts_with("not known: pod group g has 3 pods, and 2 by their annotation"));
  api.pods = plain_pods(0, 2, "2") + "," + plain_pods(2, 4, "3", "h");
  CHECK(api.status(api.by_label("app=x")).expected == 5);
}

TEST_CASE("jobs that divide one group of plain pods share its number") {
  WorkloadApi api;
  api.pods_of["role=driver"] = plain_pods(0, 1, "5");
  api.pods_of["role=worker"] = plain_pods(1, 3, "5");
  KubernetesOptions options = at_test_server();
  options.namespace_name("train").job("driver", {"role=driver"}).job("worker", {"role=worker"});
  const ClusterStatus status = api.status(make_kubernetes_resolver(api.runtime, options));
  CHECK(status.expected == 5);
  CHECK(status.job_sizes.empty());
}

TEST_CASE("a caller that knows the number hears nothing of a number that is not known") {
  WorkloadApi api;
  api.add(volcano, "g", workload_json(volcano, "g", R"({"minMember":3})"));
  const Result<ClusterStatus> known =
      api.run(api.named(volcano, "g")->try_cluster_status(CallOptions().with(PodCallOptions().knows_number(true))));
  REQUIRE(known);
  CHECK(known->expected_source.empty());
}
