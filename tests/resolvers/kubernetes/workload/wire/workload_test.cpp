// What is read of each kind of workload: its roles, and how many pods there must be.
#include "resolvers/kubernetes/workload/wire/workload.hpp"

#include <limits>

#include "resolvers/kubernetes/workload/workload_support.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr int most = std::numeric_limits<int>::max();

// `job=parts×members@first`, in parentheses where they are no members.
std::string roles_text(const Workload& workload) {
  std::string text;
  for (const WorkloadRole& role : workload.roles) {
    text += text.empty() ? "" : " ";
    std::string one = fmt::format("{}={}x{}", role.job, role.parts, role.members);
    if (role.first != 0) one += fmt::format("@{}", role.first);
    if (role.numbers == RoleNumbers::counted) one += "?";
    for (const std::string& before : role.after) one += fmt::format("<{}{}", before, role.after_any ? "|" : "");
    for (const std::string& before : role.after_end_of) one += fmt::format("<{}!", before);
    text += role.is_member ? one : "(" + one + ")";
  }
  return text;
}

std::string malformed(const std::string& word, const std::string& json) {
  const Result<Workload> read = parse_workload(type_called(word), json);
  REQUIRE_FALSE(read);
  CHECK(read.error().code() == Errc::malformed_response);
  return std::string(read.error().what());
}

}  // namespace

TEST_CASE("the number of pods of each sample of a workload") {
  class Row {
   public:
    const char* file;
    const char* name;
    const char* word;
    const char* size;
    const char* roles;
  };
  const Row rows[] = {
      {"jobsets.json", "trainer", "jobset", "JobSet trainer: 2 × 2", "worker=2x2"},
      {"jobsets.json", "queued", "jobset", "JobSet queued: 4 × 16", "worker=4x16"},
      {"jobsets.json", "ordered", "jobset", "JobSet ordered: 1 × 1 driver + 1 × 4 workers", "driver=1x1 workers=1x4<driver"},
      {"jobsets.json", "in-order", "jobset", "JobSet in-order: 1 × 1 driver + 2 × 4 workers", "driver=1x1 workers=2x4<driver"},
      {"leaderworkersets.json", "vllm", "lws", "LeaderWorkerSet vllm: 2 × 4", "worker=2x4"},
      {"leaderworkersets.json", "after-leader", "lws", "LeaderWorkerSet after-leader: 1 × 4", "worker=1x4"},
      {"statefulset.ordered-start.json", "ps", "sts", "StatefulSet ps: 4", "worker=1x4@5"},
      {"job.suspended.json", "trainer", "job", "Job trainer: 4", "worker=1x4"},
      {"jobs.finished.json", "elastic", "job", "Job elastic: 2", "worker=1x2"},
      {"trainjobs.json", "llama", "trainjob", "TrainJob llama: 4", "worker=1x4"},
      {"pytorchjobs.json", "bert", "pytorchjob", "PyTorchJob bert: 1 master + 3", ""},
      {"pytorchjobs.json", "elastic", "pytorchjob", "PyTorchJob elastic: 4 (at least 2)", "worker=1x4"},
      {"mpijobs.json", "nccl", "mpijob", "MPIJob nccl: 4", "(launcher=1x1<worker) worker=1x4"},
      {"mpijobs.json", "launcher-works", "mpijob", "MPIJob launcher-works: 1 launcher + 3", "launcher=1x1 worker=1x3@1"},
      {"rayclusters.json", "gpus", "raycluster", "RayCluster gpus: 1 head + 3 h100 + 2 × 4 tpu", "head=1x1? h100=3x1?<head tpu=2x4?<head"},
      {"rayclusters.json", "autoscaled", "raycluster", "RayCluster autoscaled: 1 head + 2 (at least 2)", "head=1x1? worker=2x1?<head"},
      {"volcano-jobs.json", "mindspore", "vcjob", "Job mindspore: 1 ps + 4", "ps=1x1 worker=1x4"},
  };
  for (const Row& row : rows) {
    const Workload workload = workload_in(row.file, row.name, row.word);
    INFO(row.file << " " << row.name);
    CHECK(describe_size(workload) == row.size);
    if (*row.roles) CHECK(roles_text(workload) == row.roles);
  }
}

TEST_CASE("pods of a Job: at a time, and as many as are left") {
  const auto roles = [](const std::string& spec, const std::string& status = "{}") {
    return roles_text(read_workload("job", workload_json("job", "t", spec, {}, R"(,"status":)" + status)));
  };
  CHECK(roles("{}") == "worker=1x1?");
  CHECK(roles(R"({"parallelism":4})") == "worker=1x4?");
  CHECK(roles(R"({"parallelism":0,"completions":4})") == "worker=1x0?");
  CHECK(roles(R"({"parallelism":4,"completions":4})") == "worker=1x4?");
  CHECK(roles(R"({"parallelism":4,"completions":4,"completionMode":"Indexed"})") == "worker=1x4");
  CHECK(roles(R"({"parallelism":9,"completions":4,"completionMode":"Indexed"})") == "worker=1x4");
  CHECK(roles(R"({"parallelism":2,"completions":6,"completionMode":"Indexed"})") == "worker=1x2?");
  CHECK(roles(R"({"parallelism":2,"completions":6,"completionMode":"Indexed"})", R"({"succeeded":5})") == "worker=1x1?");
  CHECK(roles(R"({"parallelism":4,"completions":4,"completionMode":"Indexed"})", R"({"succeeded":1})") == "worker=1x4");
  CHECK(roles(R"({"parallelism":null,"completions":null})") == "worker=1x1?");
}

TEST_CASE("numbers beyond any cluster saturate, and are kept as numbers only") {
  const Workload set = read_workload("jobset", workload_json("jobset", "t", R"({"replicatedJobs":[
      {"name":"a","replicas":1000000000,"template":{"spec":{"parallelism":1000000000,"completions":1000000000}}},
      {"name":"b","replicas":9223372036854775807,"template":{"spec":{"parallelism":3}}},
      {"name":"c","replicas":18446744073709551615,"template":{"spec":{}}}]})"));
  CHECK(total_of(set) == most);
  CHECK(set.roles.at(0).size() == most);
  CHECK(set.roles.at(1).parts == most);
  CHECK(set.roles.at(2).parts == most);
  CHECK(read_workload("sts", workload_json("sts", "t", R"({"replicas":99999999999,"selector":{"matchLabels":{"a":"b"}}})"))
            .roles[0]
            .members == most);
}

TEST_CASE("what is no number of pods is refused by its field") {
  const auto job = [](const std::string& spec) { return malformed("job", workload_json("job", "t", spec)); };
  CHECK(job(R"({"parallelism":-1})") == "the Job is malformed: spec.parallelism is -1, no number of pods");
  CHECK(job(R"({"parallelism":"4"})") == "the Job is malformed: spec.parallelism is a text, not a whole number");
  CHECK(job(R"({"parallelism":1.5})") == "the Job is malformed: spec.parallelism is a fraction, not a whole number");
  CHECK(job(R"({"suspend":"yes"})") == "the Job is malformed: spec.suspend is a text, not a boolean");
  CHECK(job("[]") == "the Job is malformed: spec is an array, not an object");
  CHECK(malformed("jobset", workload_json("jobset", "t", R"({"replicatedJobs":[{"name":"a"},7]})")) ==
        "the JobSet is malformed: spec.replicatedJobs[1] is a number, not an object");
  CHECK(malformed("jobset", workload_json("job", "t", "{}")) == "the JobSet is of the kind 'Job'");
  CHECK(malformed("sts", workload_json("sts", "t", "{}")) == "the StatefulSet is malformed: spec.selector is missing");
  CHECK(malformed("job", "[]") == "the Job is an array, not an object");
  CHECK(malformed("jobset", workload_json("jobset", "a/../b", "{}")) ==
        "the JobSet is malformed: metadata.name is 'a/../b', no name of an object");
  CHECK(malformed("sts", workload_json("sts", "t", R"({"selector":{"matchLabels":{"a":"b,c=d"}}})")).find("no label") != std::string::npos);
}

TEST_CASE("what a JobSet's initializers make is no member of the cluster") {
  const Workload set = read_workload("jobset", workload_json("jobset", "t", R"({"replicatedJobs":[
      {"name":"dataset-initializer","template":{"spec":{"parallelism":1,"completions":1}}},
      {"name":"node","dependsOn":[{"name":"dataset-initializer","status":"Complete"}],
       "template":{"spec":{"parallelism":4,"completions":4}}}]})"));
  CHECK(roles_text(set) == "(dataset-initializer=1x1) worker=1x4<dataset-initializer!");
  CHECK(total_of(set) == 4);
  const Workload both = read_workload("jobset", workload_json("jobset", "t", R"({"replicatedJobs":[
      {"name":"dataset","template":{"spec":{}}}, {"name":"model","template":{"spec":{}}},
      {"name":"node","dependsOn":[{"name":"dataset","status":"Complete"},{"name":"model","status":"Complete"}],
       "template":{"spec":{"parallelism":4,"completions":4}}}]})"));
  CHECK(roles_text(both) == "(dataset=1x1) (model=1x1) worker=1x4<dataset!<model!");
}

TEST_CASE("a JobSet's Jobs of one pod each are places, though it says neither parallelism nor completions") {
  const auto roles = [](const std::string& spec) {
    return roles_text(read_workload(
        "jobset", workload_json("jobset", "t", R"({"replicatedJobs":[{"name":"w","replicas":4,"template":{"spec":)" + spec + "}}]}")));
  };
  CHECK(roles("{}") == "worker=4x1");
  CHECK(roles(R"({"completionMode":"NonIndexed"})") == "worker=4x1?");
  CHECK(roles(R"({"parallelism":2})") == "worker=4x2?");
}

TEST_CASE("the tasks of a Volcano job that others wait for") {
  const auto roles = [](const std::string& depends) {
    return roles_text(
        read_workload("vcjob", workload_json("vcjob", "t", R"({"tasks":[{"name":"a"},{"name":"b"},{"name":"c",)" + depends + "}]}")));
  };
  CHECK(roles(R"("dependsOn":{"name":["a","b"]})") == "a=1x1 b=1x1 c=1x1<a<b");
  CHECK(roles(R"("dependsOn":{"name":["a","b"],"iteration":"any"})") == "a=1x1 b=1x1 c=1x1<a|<b|");
}

TEST_CASE("a Ray group has as many pods as its limits let it have") {
  const auto roles = [](const std::string& group) {
    return roles_text(
        read_workload("raycluster", workload_json("raycluster", "r", R"({"workerGroupSpecs":[{"groupName":"g",)" + group + "}]}")));
  };
  CHECK(roles(R"("replicas":4,"numOfHosts":2)") == "head=1x1? worker=4x2?<head");
  CHECK(roles(R"("minReplicas":3)") == "head=1x1? worker=3x1?<head");
  CHECK(roles(R"("replicas":1,"minReplicas":3)") == "head=1x1? worker=3x1?<head");
  CHECK(roles(R"("replicas":9,"maxReplicas":5)") == "head=1x1? worker=5x1?<head");
  CHECK(roles(R"("replicas":4,"suspend":true)") == "head=1x1? worker=0x1?<head");
}

TEST_CASE("selectors of a workload's pods are its own") {
  CHECK(workload_in("jobsets.json", "trainer", "jobset").roles.at(0).selector ==
        "jobset.sigs.k8s.io/jobset-name=trainer,jobset.sigs.k8s.io/replicatedjob-name=slice");
  CHECK(workload_in("job.suspended.json", "trainer", "job").roles.at(0).selector ==
        "batch.kubernetes.io/controller-uid=1cc7297e-a35b-4925-9f73-cef35b357aff");
  CHECK(workload_in("statefulset.ordered-start.json", "ps", "sts").roles.at(0).selector == "app=ps");
  CHECK(read_workload("deploy", workload_json("deploy", "d", R"({"selector":{"matchLabels":{"a":"b"},"matchExpressions":[
      {"key":"c","operator":"In","values":["d","e"]},{"key":"f","operator":"Exists"},{"key":"g","operator":"DoesNotExist"}]}})"))
            .roles.at(0)
            .selector == "a=b,c in (d,e),f,!g");
  CHECK(workload_in("rayclusters.json", "gpus", "raycluster").roles.at(1).selector ==
        "ray.io/cluster=gpus,ray.io/node-type=worker,ray.io/group=h100");
}

TEST_CASE("kinds are called as kubectl calls them") {
  for (const auto& [word, resource] : std::map<std::string, std::string>{{"job", "jobs.batch"},
                                                                         {"jobs", "jobs.batch"},
                                                                         {"Job", "jobs.batch"},
                                                                         {"job.batch", "jobs.batch"},
                                                                         {"jobs.v1.batch", "jobs.batch"},
                                                                         {"job.batch.volcano.sh", "jobs.batch.volcano.sh"},
                                                                         {"vcjob", "jobs.batch.volcano.sh"},
                                                                         {"jobset", "jobsets.jobset.x-k8s.io"},
                                                                         {"jobsets.jobset.x-k8s.io", "jobsets.jobset.x-k8s.io"},
                                                                         {"lws", "leaderworkersets.leaderworkerset.x-k8s.io"},
                                                                         {"sts", "statefulsets.apps"},
                                                                         {"deploy", "deployments.apps"},
                                                                         {"TFJob", "tfjobs.kubeflow.org"},
                                                                         {"raycluster", "rayclusters.ray.io"}}) {
    const Result<const WorkloadType*> type = workload_type_called(word);
    INFO(word);
    REQUIRE(type);
    CHECK(full_resource(**type) == resource);
  }
  for (const std::string& word : {std::string(), std::string("podd"), std::string("job."), std::string(".batch"), std::string("job.apps"),
                                  std::string("cronjobb"), std::string(1 << 20, 'a'), std::string("job.volcano.sh")}) {
    const Result<const WorkloadType*> type = workload_type_called(word);
    INFO(word.substr(0, 40));
    REQUIRE_FALSE(type);
    CHECK(type.error().hint().find("known are job, jobset, ") != std::string::npos);
  }
  CHECK(workload_type_called("jobst").error().hint().starts_with("did you mean jobset? "));
  CHECK(workload_type_called("cronjobs.batch").error().hint() == "a CronJob makes Jobs: name one of those");
  CHECK(workload_type_called("po").error().hint().starts_with("choose the pods by a label"));
}

TEST_CASE("versions of a group: the preferred one first") {
  CHECK(*parse_api_versions(
            R"({"kind":"APIGroup","versions":[{"version":"v1"},{"version":"v2beta1"}],"preferredVersion":{"version":"v2beta1"}})") ==
        std::vector<std::string>{"v2beta1", "v1"});
  CHECK_FALSE(parse_api_versions("{}"));
  CHECK_FALSE(parse_api_versions(R"({"versions":[{"version":"../v1"}]})"));
  CHECK_FALSE(parse_api_versions("404 page not found"));
  CHECK(*has_api_resource(R"({"resources":[{"name":"jobsets"},{"name":"jobsets/status"}]})", "jobsets"));
  CHECK_FALSE(*has_api_resource(R"({"resources":[]})", "jobsets"));
}
