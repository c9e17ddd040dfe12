// What a workload says of itself as a whole, and which earlier stage its missing pods wait for.
#include "resolvers/kubernetes/workload/rules/workload_chain.hpp"

#include "resolvers/kubernetes/workload/workload_support.hpp"
#include "rollcall/cause_text.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string state_text(const WorkloadChain& chain) {
  const WorkloadState state = state_of(chain);
  if (!state.cause) return "-";
  return fmt::format("{}/{} {}: {} {}{}", to_string(state.cause->layer), to_string(state.condition.level), state.cause->code,
                     state.cause->object, state.cause->text, state.cause->is_final ? " (final)" : "");
}

Member member_in(const std::string& job, int index, bool is_ready, const std::string& name = {}) {
  Member member(job, index);
  member.name = name;
  if (!is_ready) member.health = Condition(MemberState::waiting, "Running, not Ready");
  return member;
}

}  // namespace

TEST_CASE("a workload's own words for what holds up all of it") {
  const auto of = [](const char* file, const char* name, const char* word) { return state_text(chain_of(workload_in(file, name, word))); };
  CHECK(of("jobsets.json", "trainer", "jobset") == "-");
  CHECK(of("jobsets.json", "queued", "jobset") == "queue/waiting Suspended: JobSet queued is suspended: queue team-a");
  CHECK(of("job.suspended.json", "trainer", "job") == "workload/waiting Suspended: Job trainer is suspended by a person: spec.suspend");
  CHECK(of("jobsets.json", "failed", "jobset") ==
        "workload/lost ReachedMaxRestarts: JobSet failed has failed: ReachedMaxRestarts: jobset failed due to reaching max number of "
        "restarts "
        "(first failed job: failed-slice-1) (final)");
  CHECK(of("trainjobs.json", "no-runtime", "trainjob") ==
        "workload/lost TrainingRuntimeNotSupported: TrainJob no-runtime has failed: TrainingRuntimeNotSupported: Referenced "
        "TrainingRuntime not "
        "supported (final)");
  CHECK(of("trainjobs.json", "llama", "trainjob") == "workload/waiting NotCreated: TrainJob llama has not made its JobSet llama yet");
  CHECK(of("rayclusters.json", "suspended", "raycluster") ==
        "workload/waiting Suspended: RayCluster suspended is suspended by a person: spec.suspend");
  CHECK(of("rayclusters.json", "autoscaled", "raycluster") == "-");
  CHECK(of("pytorchjobs.json", "bert", "pytorchjob") == "-");
}

TEST_CASE("each end of the Jobs of the samples is final, in the Job's words") {
  const boost::json::value list = boost::json::parse(sample_text("jobs.finished.json"));
  int ended = 0;
  for (const boost::json::value& one : list.at("items").as_array()) {
    const std::string name(one.at("metadata").at("name").as_string());
    const WorkloadState state = state_of(chain_of(workload_in("jobs.finished.json", name, "job")));
    INFO(name);
    if (name == "elastic") {
      CHECK_FALSE(state.cause);
      continue;
    }
    REQUIRE(state.cause);
    CHECK(state.cause->is_final);
    CHECK(state.condition.level == MemberState::lost);
    CHECK((state.cause->text.starts_with("has ended with success: ") || state.cause->text.starts_with("has failed: ")));
    ++ended;
  }
  CHECK(ended >= 6);
}

TEST_CASE("the outermost level that holds is the cause") {
  WorkloadChain chain;
  chain.levels.push_back(std::make_shared<const Workload>(read_workload(
      "trainjob", workload_json("trainjob", "t", R"({"suspend":true})", R"(,"labels":{"kueue.x-k8s.io/queue-name":"team-b"})"))));
  chain.levels.push_back(std::make_shared<const Workload>(read_workload("jobset", workload_json("jobset", "t", R"({"suspend":true})"))));
  chain.count_by_outermost();
  CHECK(chain.counted() == chain.levels[1].get());
  CHECK(state_text(chain) == "queue/waiting Suspended: TrainJob t is suspended: queue team-b");
}

TEST_CASE("deleted, run elsewhere, without pods") {
  const auto job = [](const std::string& spec, const std::string& metadata) {
    return state_text(chain_of(read_workload("job", workload_json("job", "t", spec, metadata))));
  };
  CHECK(job("{}", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")") == "workload/lost Deleted: Job t is being deleted (final)");
  CHECK(job(R"({"managedBy":"kueue.x-k8s.io/multikueue"})", "") ==
        "workload/lost managedBy: Job t is run by 'kueue.x-k8s.io/multikueue': its pods are in another cluster (final)");
  CHECK(job(R"({"managedBy":"kubernetes.io/job-controller"})", "") == "-");
  CHECK(job(R"({"parallelism":0})", "") == "workload/waiting NoPods: Job t asks for no pods at present");
}

TEST_CASE("the stage that has to come first is named") {
  ClusterStatus status;
  const auto cause = [&status](const Workload& workload) {
    const std::vector<Cause> causes = order_causes(workload, status);
    return causes.empty() ? std::string("-") : fmt::format("{} {}: {}", to_string(causes[0].layer), causes[0].code, causes[0].text);
  };
  const Workload ordered = workload_in("jobsets.json", "ordered", "jobset");
  status.members = {member_in("driver", 0, false, "train/ordered-driver-0-0-x")};
  CHECK(cause(ordered) ==
        "order dependsOn: driver has to be ready first (0 of 1), then workers comes; driver 0 (train/ordered-driver-0-0-x)");
  status.members = {member_in("driver", 0, true)};
  CHECK(cause(ordered) == "-");
  status.members.clear();
  CHECK(cause(workload_in("jobsets.json", "in-order", "jobset")) ==
        "order InOrder: driver has to be ready first (0 of 1), then workers comes");

  const auto job_set = [](const std::string& state) {
    return read_workload("jobset", workload_json("jobset", "t", R"({"replicatedJobs":[{"name":"dataset","template":{"spec":{}}},
      {"name":"model","template":{"spec":{}}},{"name":"node","dependsOn":[{"name":"dataset","status":"Complete"},
      {"name":"model","status":"Complete"}],"template":{"spec":{}}}]})",
                                                 "", state));
  };
  CHECK(cause(job_set("")) == "order dependsOn: dataset and model have to end first, then worker comes");
  CHECK(cause(job_set(R"(,"status":{"replicatedJobsStatus":[{"name":"dataset","succeeded":1}]})")) ==
        "order dependsOn: model has to end first, then worker comes");
  CHECK(cause(job_set(R"(,"status":{"replicatedJobsStatus":[{"name":"dataset","succeeded":1},{"name":"model","succeeded":1}]})")) == "-");

  const auto tasks = [](const char* iteration) {
    return read_workload("vcjob", workload_json("vcjob", "t",
                                                fmt::format(R"({{"tasks":[{{"name":"a"}},{{"name":"b"}},{{"name":"c",
      "dependsOn":{{"name":["a","b"],"iteration":"{}"}}}}]}})",
                                                            iteration)));
  };
  CHECK(cause(tasks("any")) == "order dependsOn: a has to be ready first (0 of 1), then c comes");
  status.members = {member_in("a", 0, true)};
  CHECK(cause(tasks("all")) == "order dependsOn: b has to be ready first (0 of 1), then c comes");
  CHECK(cause(tasks("any")) == "-");
  status.members.clear();

  const Workload set = workload_in("statefulset.ordered-start.json", "ps", "sts");
  status.members = {member_in("worker", 0, true, "ordered/ps-5"), member_in("worker", 1, false, "ordered/ps-6")};
  CHECK(cause(set) == "order OrderedReady: pod ordered/ps-6 has to be ready before the next is made");
  status.members[1].health = Condition();
  CHECK(cause(set) == "-");

  const Workload groups = workload_in("leaderworkersets.json", "after-leader", "lws");
  status.members = {member_in("worker", 0, false, "train/after-leader-0")};
  CHECK(cause(groups) == "order LeaderReady: leader train/after-leader-0 has to be ready before its workers are made");
  const Workload ray = workload_in("rayclusters.json", "autoscaled", "raycluster");
  status.members = {member_in("head", 0, false, "train/h"), member_in("worker", 0, false), member_in("worker", 1, false)};
  CHECK(cause(ray) == "order dependsOn: head has to be ready first (0 of 1), then worker comes; head 0 (train/h)");
}

TEST_CASE("the controller's words for pods that it could not make, while they are missing") {
  const Workload ray =
      read_workload("raycluster", workload_json("raycluster", "r", R"({"workerGroupSpecs":[{"groupName":"a","replicas":1}]})", "",
                                                R"(,"status":{"conditions":[{"type":"ReplicaFailure","status":"True",
      "reason":"FailedCreateWorkerPod","message":"pods \"r-a-x\" is forbidden: exceeded quota: compute"}]})"));
  ClusterStatus status;
  status.members = {member_in("head", 0, true)};
  const std::vector<Cause> causes = order_causes(ray, status);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].layer == CauseLayer::creation);
  CHECK(cause_text(causes[0]) == "FailedCreateWorkerPod: pods \"r-a-x\" is forbidden: exceeded quota: compute (RayCluster r)");
  status.members.push_back(member_in("worker", 0, true));
  CHECK(order_causes(ray, status).empty());

  const Workload job = read_workload(
      "pytorchjob", workload_json("pytorchjob", "p", R"({"pytorchReplicaSpecs":{"Master":{},"Worker":{}}})", "",
                                  R"(,"status":{"conditions":[{"type":"Running","status":"False"},{"type":"Restarting","status":"True",
      "reason":"PyTorchJobRestarting","message":"PyTorchJob p is restarting because 1 Worker replica(s) failed."}]})"));
  status.members = {member_in("master", 0, true)};
  REQUIRE(order_causes(job, status).size() == 1);
  CHECK(order_causes(job, status)[0].code == "PyTorchJobRestarting");
}
