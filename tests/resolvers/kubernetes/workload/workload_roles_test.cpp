// Roles, groups and owners of workloads, and targets that name them.
#include "resolvers/kubernetes/workload/workload_api.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("groups beyond the replicas are surplus during an update, and do not make up for one that is missing") {
  WorkloadApi api;
  api.add("lws", "v", workload_json("lws", "v", R"({"replicas":2,"leaderWorkerTemplate":{"size":2}})"));
  api.add("sts", "v", workload_json("sts", "v", R"({"replicas":3,"selector":{"matchLabels":{"a":"b"}}})", owner_json("lws", "v")));
  for (const int group : {0, 1, 2}) {
    const std::string name = fmt::format("v-{}", group);
    api.add(
        "sts", name,
        workload_json(
            "sts", name, R"({"replicas":1,"selector":{"matchLabels":{"a":"b"}}})",
            fmt::format(R"(,"ownerReferences":[{{"apiVersion":"v1","kind":"Pod","name":"{0}","uid":"p-{0}","controller":true}}])", name)));
    api.objects["/api/v1/namespaces/train/pods/" + name] =
        fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"train","uid":"p-{0}"{1}}}}})", name, owner_json("sts", "v"));
  }
  const auto group = [](int number, int workers = 2) {
    std::string pods;
    for (int i = 0; i < workers; ++i) {
      const PodLabels labels = {{"leaderworkerset.sigs.k8s.io/name", "v"},
                                {"leaderworkerset.sigs.k8s.io/group-index", std::to_string(number)},
                                {"leaderworkerset.sigs.k8s.io/worker-index", std::to_string(i)}};
      const std::string owner = i == 0 ? owner_json("sts", "v") : owner_json("sts", fmt::format("v-{}", number));
      pods +=
          (pods.empty() ? "" : ",") + owned_pod(i == 0 ? fmt::format("v-{}", number) : fmt::format("v-{}-{}", number, i), labels, owner);
    }
    return pods;
  };
  api.pods = group(0) + "," + group(2);
  for (const auto& resolver : {api.named("lws", "v"), api.by_label("leaderworkerset.sigs.k8s.io/name=v")}) {
    const ClusterStatus status = api.status(resolver);
    CHECK(status.expected == 4);
    CHECK(status.members.size() == 2);
    check_failure(api.wait(resolver), Errc::deadline_exceeded, "2 of 4 ready");
  }
  api.pods = group(0) + "," + group(1) + "," + group(2);
  CHECK(api.wait(api.named("lws", "v")).has_value());
  CHECK(api.status(api.by_label("leaderworkerset.sigs.k8s.io/name=v,leaderworkerset.sigs.k8s.io/worker-index=0")).expected == 2);
}

TEST_CASE("roles are jobs, and a pod too many of one does not make up for one of another") {
  WorkloadApi api;
  api.add("raycluster", "r",
          workload_json("raycluster", "r", R"({"workerGroupSpecs":[{"groupName":"a","replicas":2},{"groupName":"b","replicas":1}]})"));
  const auto ray = [](const std::string& name, const std::string& type, const std::string& group) {
    return owned_pod(name, {{"ray.io/cluster", "r"}, {"ray.io/node-type", type}, {"ray.io/group", group}}, owner_json("raycluster", "r"));
  };
  const std::string head = "ray.io/cluster=r,ray.io/node-type=head";
  const std::string workers = "ray.io/cluster=r,ray.io/node-type=worker,ray.io/group=";
  api.pods_of[head] = ray("h", "head", "headgroup");
  api.pods_of[workers + "a"] = ray("a1", "worker", "a") + "," + ray("a2", "worker", "a") + "," + ray("a3", "worker", "a");
  const ClusterStatus status = api.status(api.named("raycluster", "r"));
  CHECK(status.jobs == std::vector<std::string>{"head", "a", "b"});
  CHECK(status.expected == 4);
  CHECK(status.members.size() == 3);
  check_failure(api.wait(api.named("raycluster", "r")), Errc::deadline_exceeded, "3 of 4 ready; no pods of job 'b'");
  api.pods_of[workers + "b"] = ray("b1", "worker", "b");
  CHECK(api.wait(api.named("raycluster", "r")).has_value());
}

TEST_CASE("labels that a controller gives all of its pods take nothing from the number") {
  WorkloadApi api;
  api.add("raycluster", "r", workload_json("raycluster", "r", R"({"workerGroupSpecs":[{"groupName":"a","replicas":2}]})"));
  api.pods =
      owned_pod("a1", {{"ray.io/cluster", "r"}, {"ray.io/node-type", "worker"}, {"ray.io/group", "a"}}, owner_json("raycluster", "r"));
  CHECK(api.status(api.by_label("ray.io/cluster=r,ray.io/is-ray-node=yes")).expected == 3);
  CHECK(api.status(api.by_label("ray.io/identifier=r-worker,app.kubernetes.io/name=kuberay")).expected == 2);
  api.add("vcjob", "v", workload_json("vcjob", "v", R"({"queue":"q","tasks":[{"name":"w","replicas":4}]})"));
  api.pods = owned_pod("w0", {{"volcano.sh/job-name", "v"}, {"volcano.sh/task-spec", "w"}}, owner_json("vcjob", "v"));
  CHECK(api.status(api.by_label("volcano.sh/job-name=v,volcano.sh/job-namespace=train,volcano.sh/queue-name=q")).expected == 4);
}

TEST_CASE("a role that asks for no pods holds up nothing, until it asks for some") {
  WorkloadApi api;
  const auto groups = [&api](const std::string& second) {
    api.add("raycluster", "r",
            workload_json("raycluster", "r", fmt::format(R"({{"workerGroupSpecs":[{{"groupName":"a","replicas":1}},{}]}})", second)));
  };
  const auto ray = [](const std::string& name, const std::string& type, const std::string& group) {
    return owned_pod(name, {{"ray.io/cluster", "r"}, {"ray.io/node-type", type}, {"ray.io/group", group}}, owner_json("raycluster", "r"));
  };
  api.pods_of["ray.io/cluster=r,ray.io/node-type=head"] = ray("h", "head", "headgroup");
  api.pods_of["ray.io/cluster=r,ray.io/node-type=worker,ray.io/group=a"] = ray("a1", "worker", "a");
  for (const char* const none : {R"({"groupName":"b","replicas":2,"suspend":true})", R"({"groupName":"b","replicas":0})"}) {
    groups(none);
    const ClusterStatus status = api.status(api.named("raycluster", "r"));
    CHECK(status.jobs == std::vector<std::string>{"head", "a"});
    CHECK(status.state.level == MemberState::ready);
    CHECK(api.wait(api.named("raycluster", "r")).has_value());
  }
  groups(R"({"groupName":"b","replicas":1})");
  check_failure(api.wait(api.named("raycluster", "r")), Errc::deadline_exceeded, "2 of 3 ready");
}

TEST_CASE("a TrainJob counts by its JobSet once that is there") {
  WorkloadApi api;
  api.add("trainjob", "t", workload_json("trainjob", "t", R"({"trainer":{"numNodes":2}})"));
  const ClusterStatus early = api.status(api.named("trainjob", "t"));
  CHECK(early.expected == 2);
  CHECK(early.causes.at(0).text == "has not made its JobSet t yet");
  const std::string spec = R"({"replicatedJobs":[{"name":"init","template":{"spec":{}}},
      {"name":"node","dependsOn":[{"name":"init","status":"Complete"}],"template":{"spec":{"parallelism":3,"completions":3}}}]})";
  api.add("jobset", "t", workload_json("jobset", "t", spec, owner_json("trainjob", "t", "uid-of-another")));
  CHECK(api.status(api.named("trainjob", "t")).expected == 2);
  api.add("jobset", "t", workload_json("jobset", "t", spec, owner_json("trainjob", "t")));
  const ClusterStatus made = api.status(api.named("trainjob", "t"));
  CHECK(made.expected == 3);
  CHECK(made.causes.at(0).text == "init has to end first, then worker comes");
}

TEST_CASE("a RayJob counts by the cluster that it has chosen, and by its own end") {
  WorkloadApi api;
  const auto ray_job = [&api](const std::string& rest) {
    api.add("rayjob", "j", workload_json("rayjob", "j", R"({"entrypoint":"x","clusterSelector":{"ray.io/cluster":"r"}})", "", rest));
    return api.status(api.named("rayjob", "j"));
  };
  CHECK(ray_job("").causes.at(0).text == "chooses RayCluster r, which does not exist");
  api.add("raycluster", "r", workload_json("raycluster", "r", R"({"workerGroupSpecs":[{"groupName":"g","replicas":1}]})"));
  const std::string owner = owner_json("raycluster", "r");
  api.pods_of["ray.io/cluster=r,ray.io/node-type=head"] =
      owned_pod("h", {{"ray.io/cluster", "r"}, {"ray.io/node-type", "head"}, {"ray.io/group", "headgroup"}}, owner);
  api.pods_of["ray.io/cluster=r,ray.io/node-type=worker,ray.io/group=g"] =
      owned_pod("w", {{"ray.io/cluster", "r"}, {"ray.io/node-type", "worker"}, {"ray.io/group", "g"}}, owner);
  const ClusterStatus running = ray_job(R"(,"status":{"jobDeploymentStatus":"Running","rayClusterName":"r"})");
  CHECK(running.expected == 2);
  CHECK(running.members.size() == 2);
  CHECK(running.causes.empty());
  const ClusterStatus failed = ray_job(R"(,"status":{"jobDeploymentStatus":"Failed","reason":"AppFailed","rayClusterName":"r"})");
  CHECK(failed.state.text == "RayJob j has failed: AppFailed");
  api.add("rayjob", "k", workload_json("rayjob", "k", "{}", "", R"(,"status":{"rayClusterName":"r"})"));
  CHECK(api.status(api.named("rayjob", "k")).causes.at(0).text == "has not made its RayCluster r yet");  // it is another's
}

TEST_CASE("owners in a circle, of unknown kinds, of another namespace end the walk") {
  WorkloadApi api;
  api.add("job", "a", workload_json("job", "a", indexed(2), owner_json("job", "b")));
  api.add("job", "b", workload_json("job", "b", indexed(3), owner_json("job", "a")));
  api.pods = job_pods("a", 0, 2, owner_json("job", "a"));
  const ClusterStatus circle = api.status(api.by_label("job-name=a"));
  CHECK(circle.members.size() == 2);
  CHECK(circle.expected_source.starts_with("not known: Job 'a' is its own owner, or has too many"));
  CHECK(api.status(api.named("job", "a")).expected == 2);

  api.add("job", "a",
          workload_json("job", "a", indexed(2), R"(,"ownerReferences":[{"apiVersion":"workload.codeflare.dev/v1","kind":"AppWrapper",
      "name":"w","uid":"w","controller":true}])"));
  CHECK(api.status(api.by_label("job-name=a")).expected == 2);
  api.pods =
      owned_pod("x", {}, R"(,"ownerReferences":[{"apiVersion":"grove.io/v1","kind":"PodClique","name":"c","uid":"c","controller":true}])");
  const ClusterStatus unknown = api.status(api.by_label("app=x"));
  CHECK(unknown.members.size() == 1);
  CHECK(unknown.expected_source.starts_with("not known: PodClique 'c' is of a kind that is not known"));
  api.pods = owned_pod("x", {}, owner_json("job", "elsewhere"));
  CHECK(api.status(api.by_label("app=x")).members.empty());  // its Job is gone from this namespace
}

TEST_CASE("a server that knows pods only leaves the number unknown, and the pods members") {
  WorkloadApi api;
  api.pods = job_pods("t", 0, 2, owner_json("job", "t"));
  api.transport->respond = [inner = api.transport->respond](const HttpRequest& request) {
    if (request.url.target.find("/apis/") == std::string::npos) return inner(request);
    return ScriptedTransport::Answer(
        ScriptedTransport::reply(404, status_json(404, "NotFound", "the server could not find the requested resource")));
  };
  const ClusterStatus status = api.status(api.by_label("job-name=t"));
  CHECK(status.members.size() == 2);
  CHECK(status.expected_source.starts_with("not known: Job 't' cannot be read"));
}

TEST_CASE("pods without an owner are as many as there are") {
  WorkloadApi api;
  api.pods = job_pods("t", 0, 2, {});
  const ClusterStatus status = api.status(api.by_label("app=x"));
  CHECK(status.expected == 2);
  CHECK(status.expected_source.empty());
  CHECK(api.gets == 0);
  CHECK(api.wait(api.by_label("app=x")).has_value());
}

TEST_CASE("--members counts before the workload's number") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(4)));
  api.pods = job_pods("t", 0, 2, owner_json("job", "t"));
  CHECK(api.wait(api.by_label("job-name=t"), WaitOptions().members(2)).has_value());
}

TEST_CASE("targets of workloads") {
  WorkloadApi api;
  const auto made = [&api](const std::string& text) {
    const Result<std::shared_ptr<ClusterResolver>> resolver = make_resolver(api.runtime, text);
    return resolver ? (*resolver)->describe() : std::string(resolver.error().what());
  };
  CHECK(made("kubernetes:train/jobset/trainer,address=pod") == "kubernetes:train/jobset/trainer");
  CHECK(made("kubernetes:./job.batch.volcano.sh/t") == "kubernetes:./job.batch.volcano.sh/t");
  CHECK(made("kubernetes:train/trainer") == "kubernetes: 'train/trainer' names no workload");
  CHECK(made("kubernetes:/job/trainer") == "kubernetes: '/job/trainer' names no workload");
  CHECK(made("kubernetes:train/job/trainer/x") == "kubernetes: 'train/job/trainer/x' names no workload");
  CHECK(made("kubernetes:train/jobb/trainer") == "'jobb' is no kind of workload that is known");
  CHECK(made("kubernetes:train/job/trainer,job.worker=app=x") == "the Job 'trainer' has its own jobs, and job 'worker' is given besides");
}
