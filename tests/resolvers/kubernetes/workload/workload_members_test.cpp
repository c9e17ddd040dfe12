// Which pods of a workload are its members: batches, indices that are given up, groups without a leader, launchers that work.
#include "resolvers/kubernetes/workload/workload_api.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string done_pod(const std::string& name, const PodLabels& labels, const std::string& owner) {
  return pod_json(name, "10.0.0.9", fmt::format(R"(,"uid":"p-{}")", name) + labels_json(labels) + owner, {}, "Succeeded");
}

std::string tasks_of_spec(WorkloadApi& api, const std::shared_ptr<ClusterResolver>& resolver) {
  const Result<ClusterSpec> spec = api.run(resolver->try_cluster_spec());
  if (!spec) return spec.error().what();
  std::string text;
  for (const std::string& job : spec->jobs()) {
    for (const int task : spec->task_indices(job).value()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", job, task);
  }
  return text;
}

std::string tasks_of_status(WorkloadApi& api, const std::shared_ptr<ClusterResolver>& resolver) {
  std::string text;
  for (const Member& member : api.status(resolver).members)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", member.job, member.index);
  return text;
}

}  // namespace

TEST_CASE("of a batch those that have succeeded are no members, since others take their turns") {
  WorkloadApi api;
  const std::string owner = owner_json("job", "b");
  const PodLabels labels = {{"job-name", "b"}};
  api.add("job", "b", workload_json("job", "b", R"({"parallelism":2,"completions":5})", {}, R"(,"status":{"succeeded":2})"));
  api.pods = done_pod("b-a", labels, owner) + "," + done_pod("b-b", labels, owner) + "," + owned_pod("b-c", labels, owner) + "," +
             owned_pod("b-d", labels, owner);
  for (const auto& resolver : {api.named("job", "b"), api.by_label("job-name=b")}) {
    CHECK(api.status(resolver).expected == 2);
    CHECK(tasks_of_status(api, resolver) == "worker 0, worker 1");
    CHECK(tasks_of_spec(api, resolver) == "worker 0, worker 1");
    CHECK(api.wait(resolver));
  }
  // The ranks of an Indexed Job stay those of its indices.
  api.add("job", "i",
          workload_json("job", "i", R"({"parallelism":2,"completions":4,"completionMode":"Indexed"})", {}, R"(,"status":{"succeeded":2})"));
  const std::string of_indexed = owner_json("job", "i");
  api.pods = job_pods("i", 2, 4, of_indexed);
  for (int i = 0; i < 2; ++i) {
    api.pods += "," + done_pod(fmt::format("i-{}-x", i),
                               {{"batch.kubernetes.io/job-completion-index", std::to_string(i)}, {"job-name", "i"}}, of_indexed);
  }
  for (const auto& resolver : {api.named("job", "i"), api.by_label("job-name=i")}) {
    CHECK(tasks_of_status(api, resolver) == "worker 2, worker 3");
    CHECK(tasks_of_spec(api, resolver) == "worker 2, worker 3");
    CHECK(api.wait(resolver));
  }
  // Where all run at once, one that has succeeded does not come back.
  api.add("job", "g", workload_json("job", "g", indexed(2), {}, R"(,"status":{"succeeded":1})"));
  api.pods = job_pods("g", 1, 2, owner_json("job", "g")) + "," +
             done_pod("g-0-x", {{"batch.kubernetes.io/job-completion-index", "0"}, {"job-name", "g"}}, owner_json("job", "g"));
  check_failure(api.wait(api.named("job", "g")), Errc::not_ready, "worker 0 (10.0.0.9:8470) will not become ready: Succeeded");
}

TEST_CASE("an index that a Job does not try again ends the wait, though the Job goes on with the others") {
  WorkloadApi api;
  const std::string spec = R"({"parallelism":4,"completions":4,"completionMode":"Indexed","backoffLimitPerIndex":1})";
  api.add("job", "t", workload_json("job", "t", spec, {}, R"(,"status":{"failedIndexes":"1"})"));
  api.pods = job_pods("t", 0, 1, owner_json("job", "t")) + "," + job_pods("t", 2, 4, owner_json("job", "t"));
  for (const auto& resolver : {api.named("job", "t"), api.by_label("job-name=t")}) {
    const std::string words = "Job t does not try index 1 again, which has failed";
    check_failure(api.wait(resolver), Errc::not_ready, words);
    CHECK(tasks_of_spec(api, resolver) == words);
  }
  // Others that a selector chooses on purpose are not affected.
  const std::string index = "job-name=t,batch.kubernetes.io/job-completion-index";
  api.pods_of[index + "=0"] = job_pods("t", 0, 1, owner_json("job", "t"));
  CHECK(api.wait(api.by_label(index + "=0")));
  CHECK(tasks_of_spec(api, api.by_label(index + "=0")) == "worker 0");
  api.add("job", "t", workload_json("job", "t", spec, {}, R"(,"status":{"failedIndexes":"1,3-5"})"));
  CHECK(api.status(api.named("job", "t")).state.text == "Job t does not try indices 1,3-5 again, which have failed");
  // A batch goes on without them.
  api.add("job", "b",
          workload_json("job", "b", R"({"parallelism":2,"completions":8,"completionMode":"Indexed"})", {},
                        R"(,"status":{"failedIndexes":"0"})"));
  api.pods = job_pods("b", 1, 3, owner_json("job", "b"));
  CHECK(api.wait(api.named("job", "b")));
}

TEST_CASE("a spec of a workload that has ended says so, not that its pod is made again") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(2), {}, R"(,"status":{"conditions":[{"type":"Failed","status":"True",
      "reason":"BackoffLimitExceeded","message":"too often"}]})"));
  api.pods = pod_json(
      "t-0-x", "10.0.0.1",
      R"(,"uid":"p")" + labels_json({{"batch.kubernetes.io/job-completion-index", "0"}, {"job-name", "t"}}) + owner_json("job", "t"), {},
      "Failed");
  for (const auto& resolver : {api.named("job", "t"), api.by_label("job-name=t")})
    check_failure(api.run(resolver->try_cluster_spec()), Errc::not_ready, "Job t has failed: BackoffLimitExceeded: too often");
}

TEST_CASE("the workers of a group whose leader is gone are no members") {
  WorkloadApi api;
  const std::string lws = "leaderworkerset.sigs.k8s.io/";
  api.add("lws", "v", workload_json("lws", "v", R"({"replicas":2,"leaderWorkerTemplate":{"size":2}})"));
  api.add("sts", "v", workload_json("sts", "v", R"({"replicas":2,"selector":{"matchLabels":{"a":"b"}}})", owner_json("lws", "v")));
  const auto pod = [&](int group, int worker, const std::string& owner) {
    const std::string name = worker == 0 ? fmt::format("v-{}", group) : fmt::format("v-{}-{}", group, worker);
    return owned_pod(
        name, {{lws + "name", "v"}, {lws + "group-index", std::to_string(group)}, {lws + "worker-index", std::to_string(worker)}}, owner);
  };
  for (int group = 0; group < 2; ++group) {
    const std::string name = fmt::format("v-{}", group);
    const std::string leader =
        fmt::format(R"(,"ownerReferences":[{{"apiVersion":"v1","kind":"Pod","name":"{0}","uid":"p-{0}","controller":true}}])", name);
    api.add("sts", name, workload_json("sts", name, R"({"replicas":1,"selector":{"matchLabels":{"a":"b"}}})", leader));
  }
  const std::string whole =
      pod(0, 0, owner_json("sts", "v")) + "," + pod(0, 1, owner_json("sts", "v-0")) + "," + pod(1, 1, owner_json("sts", "v-1"));
  api.pods = whole;
  api.objects["/api/v1/namespaces/train/pods/v-0"] = pod(0, 0, owner_json("sts", "v"));
  for (const auto& resolver : {api.named("lws", "v"), api.by_label(lws + "name=v")}) {
    const ClusterStatus status = api.status(resolver);
    CHECK(status.expected == 4);
    CHECK(status.expected_source == "LeaderWorkerSet v: 2 × 2");
    CHECK(status.members.size() == 2);
    CHECK(tasks_of_spec(api, resolver) == "there are 2 of 4 of job 'worker' (LeaderWorkerSet v: 2 × 2)");
  }
}

TEST_CASE("the launcher of an MPIJob that works, too, is a member") {
  WorkloadApi api;
  const std::string t = "training.kubeflow.org/";
  api.add("mpijob", "m",
          workload_json("mpijob", "m", R"({"runLauncherAsWorker":true,"mpiReplicaSpecs":{"Launcher":{},"Worker":{"replicas":2}}})"));
  api.add("job", "m-launcher", workload_json("job", "m-launcher", R"({"parallelism":1,"completions":1})", owner_json("mpijob", "m")));
  const auto pod = [&](const std::string& role, const std::string& index, const std::string& owner) {
    return owned_pod(fmt::format("m-{}-{}", role, index), {{t + "job-name", "m"}, {t + "job-role", role}, {t + "replica-index", index}},
                     owner);
  };
  api.pods = pod("worker", "1", owner_json("mpijob", "m")) + "," + pod("worker", "2", owner_json("mpijob", "m")) + "," +
             pod("launcher", "0", owner_json("job", "m-launcher"));
  CHECK(tasks_of_spec(api, api.named("mpijob", "m")) == "launcher 0, worker 0, worker 1");
  CHECK(tasks_of_status(api, api.named("mpijob", "m")) == "launcher 0, worker 0, worker 1");
  CHECK(tasks_of_spec(api, api.by_label(t + "job-name=m")) == "worker 0, worker 1, worker 2");
  CHECK(api.status(api.by_label(t + "job-name=m")).members.at(0).name == "train/m-launcher-0");
}

TEST_CASE("what has to come first is counted by the roles, not by the jobs of the selectors") {
  WorkloadApi api;
  api.add("raycluster", "r",
          workload_json("raycluster", "r",
                        R"({"headGroupSpec":{},"workerGroupSpecs":[{"groupName":"g","replicas":2,"minReplicas":2,"maxReplicas":2}]})"));
  const auto pod = [](const std::string& name, const std::string& type, const std::string& group, bool is_ready) {
    return owned_pod(name, {{"ray.io/cluster", "r"}, {"ray.io/node-type", type}, {"ray.io/group", group}}, owner_json("raycluster", "r"),
                     is_ready);
  };
  const auto by_label = api.by_label("ray.io/cluster=r");
  api.pods = pod("r-head", "head", "headgroup", true) + "," + pod("r-g-a", "worker", "g", true);
  CHECK(api.status(by_label).expected == 3);
  CHECK(api.status(by_label).causes.empty());
  api.pods = pod("r-g-a", "worker", "g", false);
  REQUIRE(api.status(by_label).causes.size() == 1);
  CHECK(api.status(by_label).causes[0].text == "head has to be ready first (0 of 1), then worker comes");
  // Two StatefulSets, one of which is complete.
  for (const std::string name : {"ps", "w"})
    api.add("sts", name, workload_json("sts", name, fmt::format(R"({{"replicas":2,"selector":{{"matchLabels":{{"app":"{}"}}}}}})", name)));
  const auto of_set = [](const std::string& name, int i, bool is_ready) {
    return owned_pod(fmt::format("{}-{}", name, i), {{"apps.kubernetes.io/pod-index", std::to_string(i)}}, owner_json("sts", name),
                     is_ready);
  };
  api.pods_of["app=ps"] = of_set("ps", 0, false);
  api.pods_of["app=w"] = of_set("w", 0, true) + "," + of_set("w", 1, true);
  const auto both =
      make_kubernetes_resolver(api.runtime, at_test_server().namespace_name("train").job("ps", {"app=ps"}).job("worker", {"app=w"}));
  const ClusterStatus status = api.status(both);
  REQUIRE(status.causes.size() == 1);
  CHECK(status.causes[0].text == "pod train/ps-0 has to be ready before the next is made");
  CHECK(status.causes[0].object == "StatefulSet ps");
}
