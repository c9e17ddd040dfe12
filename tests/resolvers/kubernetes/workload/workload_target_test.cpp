// Clusters by the name of their workload, and by labels of pods that workloads own: how many members there must be.
#include "resolvers/kubernetes/workload/workload_api.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("a Job of four of which one pod is there is not ready") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(4)));
  api.pods = job_pods("t", 2, 3, owner_json("job", "t"));
  const ClusterStatus status = api.status(api.named("job", "t"));
  CHECK(status.expected == 4);
  CHECK(status.job_sizes == std::vector<JobSize>{JobSize("worker", 4)});
  CHECK(status.expected_source == "Job t: 4");
  REQUIRE(status.members.size() == 1);
  CHECK(status.members[0].index == 2);
  check_failure(api.wait(api.named("job", "t")), Errc::deadline_exceeded, "1 of 4 ready; missing: worker 0-1, 3: not there yet (Job t: 4)");
  check_failure(api.run(api.named("job", "t")->try_cluster_spec()), Errc::not_ready, "there are 1 of 4 of job 'worker' (Job t: 4)");

  api.pods = job_pods("t", 0, 4, owner_json("job", "t"));
  std::string line;
  const Result<ClusterStatus> ready =
      api.wait(api.named("job", "t"), WaitOptions().on_progress([&line](const WaitProgress& progress) { line = progress.line(); }));
  CHECK(line == "4/4 ready (Job t: 4)");
  REQUIRE(ready);
  CHECK(ready->members.size() == 4);
  CHECK(api.run(api.named("job", "t")->cluster_spec()).num_tasks("worker").value() == 4);
  CHECK(api.named("job", "t")->describe() == "kubernetes:train/job/t");
}

TEST_CASE("pods by labels lead to their workload, whose number counts") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", R"({"parallelism":4,"completions":4,"completionMode":"Indexed",
      "template":{"metadata":{"labels":{"app":"x"}}}})"));
  api.pods = job_pods("t", 0, 1, owner_json("job", "t"));
  CHECK(api.status(api.by_label("app=x")).expected == 4);
  CHECK(api.status(api.by_label("job-name=t")).expected == 4);
  CHECK(api.status(api.by_label("job-name=t,batch.kubernetes.io/job-completion-index=0")).expected == 1);
  check_failure(api.wait(api.by_label("app=x")), Errc::deadline_exceeded, "1 of 4 ready");
  check_failure(api.run(api.by_label("app=x")->try_cluster_spec()), Errc::not_ready, "there are 1 of 4");
  const ClusterStatus unknown = api.status(api.by_label("app=x,rack=1"));
  CHECK(unknown.expected == 1);
  CHECK(unknown.expected_source.starts_with("not known: how many pods of Job t have 'rack=1' is not known; --members N"));
  CHECK(unknown.job_sizes.empty());
}

TEST_CASE("a JobSet counts by its child's parts, whatever one of them has") {
  WorkloadApi api;
  const std::string spec = R"({"replicatedJobs":[{"name":"slice","replicas":4,"template":{"spec":{"parallelism":2,"completions":2}}}]})";
  api.add("jobset", "s", workload_json("jobset", "s", spec));
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("s-slice-{}", i);
    api.add("job", name, workload_json("job", name, indexed(2), owner_json("jobset", "s")));
  }
  const auto slice = [](int i, const std::string& attempt = "0", const std::string& jobs = "") {
    const std::string name = fmt::format("s-slice-{}", i);
    return job_pods(name, 0, 2, owner_json("job", name),
                    {{"jobset.sigs.k8s.io/jobset-name", "s"},
                     {"jobset.sigs.k8s.io/replicatedjob-name", "slice"},
                     {"jobset.sigs.k8s.io/job-index", std::to_string(i)},
                     {"jobset.sigs.k8s.io/replicatedjob-replicas", jobs},
                     {"jobset.sigs.k8s.io/restart-attempt", attempt}});
  };
  const std::string all = "jobset.sigs.k8s.io/jobset-name=s";
  api.pods = slice(3);
  for (const auto& resolver : {api.named("jobset", "s"), api.by_label(all)}) {
    const ClusterStatus status = api.status(resolver);
    CHECK(status.expected == 8);
    CHECK(status.expected_source == "JobSet s: 4 × 2");
    REQUIRE(status.members.size() == 2);
    CHECK(status.members[0].index == 6);
    check_failure(api.wait(resolver), Errc::deadline_exceeded, "2 of 8 ready; missing: worker 0-5: not there yet (JobSet s: 4 × 2)");
  }
  // One Job of it on purpose, by its name or its index.
  CHECK(api.status(api.by_label("job-name=s-slice-3")).expected == 2);
  CHECK(api.status(api.by_label(all + ",jobset.sigs.k8s.io/job-index=3")).expected == 2);
  CHECK(api.status(api.named("job", "s-slice-3")).expected == 2);

  // After a restart the pods of before do not count.
  api.pods = slice(0, "1") + "," + slice(1) + "," + slice(2) + "," + slice(3);
  CHECK(api.status(api.named("jobset", "s")).members.size() == 2);
  CHECK(api.status(api.by_label(all)).members.size() == 2);
  api.add("jobset", "s", workload_json("jobset", "s", spec, {}, R"(,"status":{"restarts":2})"));
  CHECK(api.status(api.named("jobset", "s")).members.empty());

  // A JobSet that may not be read: its Jobs alone do not say how many there are.
  api.refuse("jobset", "s");
  api.pods = slice(0);
  const ClusterStatus refused = api.status(api.by_label(all));
  CHECK(refused.expected_source ==
        "not known: JobSet 's' may not be read (get jobsets.jobset.x-k8s.io in namespace 'train'); --members N says "
        "how many there must be");
  CHECK(refused.expected == 2);
  CHECK(api.status(api.by_label("job-name=s-slice-0")).expected == 2);
  api.pods = slice(0, "0", "4");  // a label says how many Jobs there are
  CHECK(api.status(api.by_label(all)).expected == 8);
  CHECK(api.status(api.by_label(all + ",jobset.sigs.k8s.io/job-index=0")).expected == 2);
  check_failure(api.wait(api.by_label(all)), Errc::deadline_exceeded, "2 of 8 ready");
  check_failure(api.run(api.named("jobset", "s")->try_cluster_status()), Errc::permission_denied,
                "wanted: get jobsets.jobset.x-k8s.io in namespace 'train'");
}

TEST_CASE("pods of a workload that was made again do not count for the new one") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(2)));
  api.pods = job_pods("t", 0, 2, owner_json("job", "t", "uid-before"));
  const ClusterStatus named = api.status(api.named("job", "t"));
  CHECK(named.members.empty());
  CHECK(named.expected == 2);
  CHECK(api.status(api.by_label("job-name=t")).members.empty());
  // Without an owner they are not the Job's either, though they have its labels.
  api.pods = job_pods("t", 0, 2, {});
  CHECK(api.status(api.named("job", "t")).members.empty());
  CHECK(api.status(api.by_label("job-name=t")).members.size() == 2);
}

TEST_CASE("absent objects, kinds and rights are distinguished") {
  WorkloadApi api;
  check_failure(api.run(api.named("job", "t")->try_cluster_status()), Errc::not_found, "Job 't' in namespace 'train' does not exist");
  check_failure(api.run(api.named("jobset", "t")->try_cluster_status()), Errc::failed_precondition,
                "the cluster has no JobSet (jobsets.jobset.x-k8s.io): the group jobset.x-k8s.io is not there");
  // A kind that is absent is refused in the same words as one that may not be read.
  api.add("pytorchjob", "other", "{}");
  api.objects["kubeflow.org/v1"] = R"({"kind":"APIResourceList","resources":[{"name":"pytorchjobs"}]})";
  api.refuse("pytorchjob", "t");
  api.refuse("mpijob", "t");
  check_failure(api.run(api.named("pytorchjob", "t")->try_cluster_status()), Errc::permission_denied,
                "wanted: get pytorchjobs.kubeflow.org");
  check_failure(api.run(api.named("mpijob", "t")->try_cluster_status()), Errc::failed_precondition, "the cluster has no MPIJob");
  check_failure(api.run(api.named("pod", "t")->try_cluster_status()), Errc::invalid_argument, "'pod' is no kind of workload that is known");
  check_failure(api.run(api.named("job", "../t")->try_cluster_status()), Errc::invalid_argument, "is not the name of a Job");
  check_failure(api.wait(api.named("job", "t"), WaitOptions().for_existence(true)), Errc::deadline_exceeded, "does not exist");
}

TEST_CASE("a suspended workload says so, and its end ends the wait") {
  WorkloadApi api;
  api.add("job", "t",
          workload_json("job", "t", R"({"parallelism":4,"completions":4,"completionMode":"Indexed","suspend":true})",
                        R"(,"labels":{"kueue.x-k8s.io/queue-name":"team-a"})"));
  const ClusterStatus queued = api.status(api.named("job", "t"));
  CHECK(queued.phase == ClusterPhase::queued);
  CHECK(queued.expected == 4);
  REQUIRE(queued.causes.size() == 1);
  CHECK(queued.causes[0].layer == CauseLayer::queue);
  CHECK(queued.state.text == "Job t is suspended: queue team-a");
  check_failure(api.wait(api.named("job", "t")), Errc::deadline_exceeded,
                "missing: worker 0-3: not there yet: Suspended: is suspended: queue team-a (Job t)");
  api.add("job", "t", workload_json("job", "t", indexed(4), {}, R"(,"status":{"conditions":[{"type":"Failed","status":"True",
      "reason":"DeadlineExceeded","message":"Job was active longer than specified deadline"}]})"));
  check_failure(api.wait(api.named("job", "t")), Errc::not_ready,
                "Job t has failed: DeadlineExceeded: Job was active longer than specified deadline");
  api.add("job", "t", workload_json("job", "t", indexed(4), {}, R"(,"status":{"conditions":[{"type":"Complete","status":"True"}]})"));
  check_failure(api.wait(api.named("job", "t")), Errc::not_ready, "Job t has ended with success");
}

TEST_CASE("a workload that grows while its pods become ready is not ready with the former number") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(2), R"(,"resourceVersion":"1")"));
  api.pods = job_pods("t", 0, 1, owner_json("job", "t"));
  api.on_get = [&api] {
    if (api.gets != 2) return;  // at the second look both pods are there, and four are wanted
    api.add("job", "t", workload_json("job", "t", indexed(4), R"(,"resourceVersion":"2")"));
    api.pods = job_pods("t", 0, 2, owner_json("job", "t"));
  };
  check_failure(api.wait(api.named("job", "t")), Errc::deadline_exceeded, "2 of 4 ready");
  CHECK(api.gets > 2);
}
