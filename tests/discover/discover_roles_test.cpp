// The roles of a found workload: a job each, those that are apart left out, in a target whose wait can end.
#include "discover/discover_support.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/resolver.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using RoleLabels = std::vector<std::pair<std::string, std::string>>;

std::string role_pod(const std::string& name, const RoleLabels& labels, const std::string& address, const std::string& phase = "Running") {
  return pod_json(name, address, labels_json(labels), R"(,"conditions":[{"type":"Ready","status":"True"}])", phase);
}

std::string kubeflow_pod(const std::string& role, int index, const std::string& address, const std::string& by = {}) {
  RoleLabels labels = {{"training.kubeflow.org/job-name", "t"},
                       {"training.kubeflow.org/replica-type", role},
                       {"training.kubeflow.org/replica-index", std::to_string(index)}};
  if (!by.empty()) labels.emplace_back("training.kubeflow.org/operator-name", by);
  return role_pod(fmt::format("t-{}-{}", role, index), labels, address);
}

std::string mpi_pod(const std::string& role, const std::string& index, const std::string& address) {
  RoleLabels labels = {{"training.kubeflow.org/operator-name", "mpi-operator"},
                       {"training.kubeflow.org/job-name", "t"},
                       {"training.kubeflow.org/job-role", role}};
  if (role == "launcher") labels.emplace_back("job-name", "t-launcher");
  if (!index.empty()) labels.emplace_back("training.kubeflow.org/replica-index", index);
  return role_pod(fmt::format("t-{}-{}", role, index), labels, address);
}

class SetPod {
 public:
  std::string role;
  int job = 0;
  int index = 0;
  std::string address;
  std::string phase = "Running";
  std::string step = {};
};

std::string set_pod(const SetPod& pod) {
  RoleLabels labels = {
      {"jobset.sigs.k8s.io/jobset-name", "t"},       {"jobset.sigs.k8s.io/replicatedjob-name", pod.role},
      {"jobset.sigs.k8s.io/job-index", "0"},         {"jobset.sigs.k8s.io/job-global-index", std::to_string(pod.job)},
      {"job-name", fmt::format("t-{}-0", pod.role)}, {"batch.kubernetes.io/job-completion-index", std::to_string(pod.index)}};
  if (!pod.step.empty()) labels.emplace_back("trainer.kubeflow.org/trainjob-ancestor-step", pod.step);
  return role_pod(fmt::format("t-{}-0-{}-{}", pod.role, pod.index, pod.address), labels, pod.address, pod.phase);
}

std::string ray_pod(const std::string& type, const std::string& name, const std::string& address) {
  return role_pod(name, {{"ray.io/cluster", "t"}, {"ray.io/node-type", type}, {"ray.io/group", type == "head" ? "headgroup" : "gpu"}},
                  address);
}

std::string volcano_pod(const std::string& task, int index, const std::string& address, const std::string& phase = "Running") {
  return role_pod(fmt::format("t-{}-{}", task, index),
                  {{"volcano.sh/job-name", "t"}, {"volcano.sh/task-spec", task}, {"volcano.sh/task-index", std::to_string(index)}}, address,
                  phase);
}

Found found_of(const std::string& pods) {
  TestRuntime t({{"KUBECONFIG", "/kube/config"}}, Limits(), nullptr, {{"/kube/config", R"({"current-context":"c",
    "clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:6443"}}],"users":[{"name":"u","user":{"token":"x"}}],
    "contexts":[{"name":"c","context":{"cluster":"c","user":"u","namespace":"train"}}]})"}});
  t.answer(200, list_json(pods));
  Finds finds = t.run(read_all(discover(t.runtime, DiscoverOptions().kinds({FoundKind::job}))));
  REQUIRE(finds.missing.empty());
  REQUIRE(finds.found.size() == 1);
  return finds.found.front();
}

std::string jobs_in(const std::string& pods) {
  const Result<Target> target = Target::parse(found_of(pods).target);
  REQUIRE(target);
  CHECK(target->body == "train");
  std::string jobs;
  for (const auto& [key, items] : target->options) jobs += fmt::format("{}{}={}", jobs.empty() ? "" : " ", key, fmt::join(items, " + "));
  return jobs;
}

std::string all_of_pods(const std::vector<std::string>& pods) { return fmt::format("{}", fmt::join(pods, ",")); }

}  // namespace

TEST_CASE("the roles of a TFJob are jobs, and its evaluator is apart") {
  const std::string pods =
      all_of_pods({kubeflow_pod("chief", 0, "10.4.0.2"), kubeflow_pod("evaluator", 0, "10.4.0.3"), kubeflow_pod("ps", 0, "10.4.0.4"),
                   kubeflow_pod("ps", 1, "10.4.0.5"), kubeflow_pod("worker", 0, "10.4.0.6"), kubeflow_pod("worker", 1, "10.4.0.7")});
  CHECK(found_of(pods).target ==
        "kubernetes:train,job.chief=training.kubeflow.org/job-name=t%2Ctraining.kubeflow.org/replica-type=chief,"
        "job.ps=training.kubeflow.org/job-name=t%2Ctraining.kubeflow.org/replica-type=ps,"
        "job.worker=training.kubeflow.org/job-name=t%2Ctraining.kubeflow.org/replica-type=worker");
  CHECK(found_of(pods).members == 5);
  CHECK(found_of(pods).addresses.size() == 5);
  const std::string workers = all_of_pods({kubeflow_pod("worker", 0, "10.4.0.6"), kubeflow_pod("evaluator", 0, "10.4.0.7")});
  CHECK(jobs_in(workers) == "job.worker=training.kubeflow.org/job-name=t,training.kubeflow.org/replica-type=worker");
  const std::string by = "tfjob-controller";
  CHECK(jobs_in(all_of_pods({kubeflow_pod("worker", 0, "10.4.0.6", by), kubeflow_pod("master", 0, "10.4.0.7", by)})) ==
        "job.master=training.kubeflow.org/job-name=t,training.kubeflow.org/replica-type=master "
        "job.worker=training.kubeflow.org/job-name=t,training.kubeflow.org/replica-type=worker");
  CHECK(jobs_in(kubeflow_pod("ps", 0, "10.4.0.6", by)) == "job.ps=training.kubeflow.org/job-name=t,training.kubeflow.org/replica-type=ps");
  CHECK(jobs_in(kubeflow_pod("evaluator", 0, "10.4.0.6", by)) ==
        "job.evaluator=training.kubeflow.org/job-name=t,training.kubeflow.org/replica-type=evaluator");
}

TEST_CASE("a PyTorchJob ranks its master and workers as one job") {
  for (const std::string by : {"", "pytorchjob-controller", "xgboostjob-controller", "paddlejob-controller"}) {
    INFO(by);
    const std::string pods = all_of_pods(
        {kubeflow_pod("worker", 0, "10.4.0.3", by), kubeflow_pod("worker", 1, "10.4.0.4", by), kubeflow_pod("master", 0, "10.4.0.9", by)});
    CHECK(jobs_in(pods) == "job.worker=training.kubeflow.org/job-name=t");
    CHECK(found_of(pods).addresses == std::vector<std::string>{"10.4.0.9:8470", "10.4.0.3:8470", "10.4.0.4:8470"});
  }
  CHECK(jobs_in(kubeflow_pod("worker", 0, "10.4.0.3")) == "job.worker=training.kubeflow.org/job-name=t");
}

TEST_CASE("the launcher of an MPIJob is apart, unless it is a worker, too") {
  const std::string of_workers = "job.worker=training.kubeflow.org/job-name=t,training.kubeflow.org/job-role=worker";
  CHECK(jobs_in(all_of_pods(
            {mpi_pod("launcher", "", "10.4.0.9"), mpi_pod("worker", "0", "10.4.0.2"), mpi_pod("worker", "1", "10.4.0.3")})) == of_workers);
  CHECK(jobs_in(mpi_pod("worker", "0", "10.4.0.2")) == of_workers);  // the launcher may wait until the workers are ready
  const std::string both =
      all_of_pods({mpi_pod("worker", "1", "10.4.0.3"), mpi_pod("worker", "2", "10.4.0.4"), mpi_pod("launcher", "0", "10.4.0.9")});
  CHECK(jobs_in(both) == "job.worker=training.kubeflow.org/job-name=t");
  CHECK(found_of(both).addresses == std::vector<std::string>{"10.4.0.9:8470", "10.4.0.3:8470", "10.4.0.4:8470"});
  const std::string v1 = "mpijob-controller";
  CHECK(jobs_in(all_of_pods({kubeflow_pod("launcher", 0, "10.4.0.9", v1), kubeflow_pod("worker", 0, "10.4.0.2", v1)})) ==
        "job.worker=training.kubeflow.org/job-name=t,training.kubeflow.org/replica-type=worker");
}

TEST_CASE("the replicated jobs of a JobSet are jobs, in its order") {
  const std::string set = "jobset.sigs.k8s.io/jobset-name=t";
  const std::string role = ",jobset.sigs.k8s.io/replicatedjob-name=";
  const std::string two =
      all_of_pods({set_pod({"workers", 1, 0, "10.4.0.3"}), set_pod({"workers", 1, 1, "10.4.0.4"}), set_pod({"zero", 0, 0, "10.4.0.2"})});
  CHECK(jobs_in(two) == "job.zero=" + set + role + "zero job.workers=" + set + role + "workers");
  CHECK(found_of(two).members == 3);
  CHECK(jobs_in(all_of_pods({set_pod({"slice", 0, 0, "10.4.0.2"}), set_pod({"slice", 1, 0, "10.4.0.3"})})) == "job.worker=" + set);
}

TEST_CASE("steps of a JobSet that have ended are no members") {
  const std::string set = "jobset.sigs.k8s.io/jobset-name=t";
  const std::string role = ",jobset.sigs.k8s.io/replicatedjob-name=";
  // The download has failed once, and has succeeded then.
  const std::string pods =
      all_of_pods({set_pod({"download", 0, 0, "10.4.1.2", "Failed"}), set_pod({"download", 0, 0, "10.4.1.3", "Succeeded"}),
                   set_pod({"node", 1, 0, "10.4.0.2"}), set_pod({"node", 1, 1, "10.4.0.3"})});
  CHECK(jobs_in(pods) == "job.worker=" + set + role + "node");
  CHECK(found_of(pods).state == "Running");
  CHECK(found_of(pods).health == "Ready");
  CHECK(found_of(pods).members == 2);
  // One that fails is not over.
  const std::string failing = all_of_pods({set_pod({"download", 0, 0, "10.4.1.2", "Failed"}), set_pod({"node", 1, 0, "10.4.0.2"})});
  CHECK(jobs_in(failing) == "job.download=" + set + role + "download job.node=" + set + role + "node");
  const std::string over =
      all_of_pods({set_pod({"node", 1, 0, "10.4.0.2", "Succeeded"}), set_pod({"node", 1, 1, "10.4.0.3", "Succeeded"})});
  CHECK(jobs_in(over) == "job.worker=" + set);
  CHECK(found_of(over).state == "Succeeded");
}

TEST_CASE("the initializers of a TrainJob are no members, also while they run") {
  const std::string set = "jobset.sigs.k8s.io/jobset-name=t";
  const std::string role = ",jobset.sigs.k8s.io/replicatedjob-name";
  const SetPod data = {"dataset-initializer", 0, 0, "10.4.1.2", "Running", "dataset-initializer"};
  const SetPod model = {"model-initializer", 1, 0, "10.4.1.3", "Running"};
  const SetPod own = {"warm-up", 2, 0, "10.4.1.4", "Running", "warm-up"};
  CHECK(jobs_in(all_of_pods({set_pod(data), set_pod(model), set_pod(own), set_pod({"node", 3, 0, "10.4.0.2", "Pending", "trainer"})})) ==
        "job.worker=" + set + role + "=node");
  // The nodes are not there yet.
  const std::string early = all_of_pods({set_pod(data), set_pod(model)});
  CHECK(jobs_in(early) == "job.worker=" + set + role + "!=dataset-initializer" + role + "!=model-initializer");
  CHECK(found_of(early).members == 0);
  CHECK(found_of(early).state == "Running");
  CHECK(found_of(early).health == "NotReady");
  // mpirun's launcher has the step's label, its nodes have none.
  CHECK(jobs_in(all_of_pods({set_pod({"launcher", 0, 0, "10.4.0.2", "Running", "trainer"}), set_pod({"node", 1, 0, "10.4.0.3"})})) ==
        "job.launcher=" + set + role + "=launcher job.node=" + set + role + "=node");
}

TEST_CASE("the head and the workers of a RayCluster are jobs") {
  const std::string of = "=ray.io/cluster=t,ray.io/node-type=";
  const std::string both =
      all_of_pods({ray_pod("worker", "t-a", "10.4.0.2"), ray_pod("head", "t-z", "10.4.0.9"), ray_pod("redis-cleanup", "t-r", "10.4.0.8")});
  CHECK(jobs_in(both) == "job.head" + of + "head job.worker" + of + "worker");
  CHECK(jobs_in(ray_pod("worker", "t-a", "10.4.0.2")) == "job.worker" + of + "worker");  // the head may be made again
}

TEST_CASE("the tasks of a Volcano job are jobs") {
  const std::string of = "=volcano.sh/job-name=t,volcano.sh/task-spec=";
  const std::string both =
      all_of_pods({volcano_pod("worker", 0, "10.4.0.2"), volcano_pod("worker", 1, "10.4.0.3"), volcano_pod("master", 0, "10.4.0.9")});
  CHECK(jobs_in(both) == "job.master" + of + "master job.worker" + of + "worker");
  CHECK(found_of(both).workload == "VolcanoJob");
  CHECK(jobs_in(volcano_pod("worker", 0, "10.4.0.2")) == "job.worker=volcano.sh/job-name=t");
  CHECK(jobs_in(all_of_pods({volcano_pod("fetch", 0, "10.4.0.9", "Succeeded"), volcano_pod("train", 0, "10.4.0.2")})) ==
        "job.worker" + of + "train");
}

TEST_CASE("roles without a usable name are one job") {
  const std::string pods = all_of_pods(
      {role_pod("a", {{"ray.io/cluster", "t"}, {"ray.io/node-type", "a,b=c"}}, "10.4.0.2"), ray_pod("head", "t-z", "10.4.0.9")});
  CHECK(jobs_in(pods) == "job.worker=ray.io/cluster=t");
  CHECK(jobs_in(role_pod("a", {{"training.kubeflow.org/job-name", "t"}}, "10.4.0.2")) == "job.worker=training.kubeflow.org/job-name=t");
}
