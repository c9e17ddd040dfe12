// Pods in the order of their workload's indices.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

// Pods with these names and labels, and the addresses 10.0.0.0, 10.0.0.1 … in the given order. Returns the last numbers in task order, `-`
// for an index without a pod.
std::string tasks_of(const std::vector<std::pair<std::string, Labels>>& pods, PodOrder order = PodOrder::automatic) {
  TestRuntime t;
  std::string text;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    text += (i == 0 ? "" : ",") + pod_json(pods[i].first, fmt::format("10.0.0.{}", i), labels_json(pods[i].second));
  }
  t.answer(200, list_json(text));
  KubernetesOptions options = at_test_server();
  std::string reported = workers_of(t, options.port(1).order(order));
  if (!reported.starts_with("10.") && !reported.starts_with("- ")) return reported;
  for (std::size_t at = reported.find("10.0.0."); at != std::string::npos; at = reported.find("10.0.0.")) reported.erase(at, 7);
  for (std::size_t at = reported.find(":1"); at != std::string::npos; at = reported.find(":1")) reported.erase(at, 2);
  return reported;
}

// The same without the indices that have no pod.
std::string order_of(const std::vector<std::pair<std::string, Labels>>& pods, PodOrder order = PodOrder::automatic) {
  std::string reported = tasks_of(pods, order);
  for (std::size_t at = reported.find("- "); at != std::string::npos; at = reported.find("- ")) reported.erase(at, 2);
  return reported;
}

Labels indexed(const std::string& job, const std::string& index) {
  return {{"batch.kubernetes.io/job-name", job}, {"batch.kubernetes.io/job-completion-index", index}};
}
Labels in_set(const std::string& job, const std::string& global, const std::string& index) {
  return {{"jobset.sigs.k8s.io/jobset-name", "s"},
          {"jobset.sigs.k8s.io/replicatedjob-name", "r"},
          {"jobset.sigs.k8s.io/job-index", job},
          {"jobset.sigs.k8s.io/job-global-index", global},
          {"batch.kubernetes.io/job-completion-index", index}};
}

}  // namespace

TEST_CASE("pods without indices are in order of names, as people count") {
  CHECK(order_of({{"w-2", {}}, {"w-10", {}}, {"w-1", {}}}) == "2 0 1");
  CHECK(order_of({{"w-2", {}}, {"w-10", {}}, {"w-1", {}}}, PodOrder::name) == "2 1 0");
}

TEST_CASE("plain pods of a group of Kueue, and pods of Grove's cliques, have the index of their label") {
  const auto in_group = [](const std::string& index) {
    return Labels{{"kueue.x-k8s.io/pod-group-name", "g"}, {"kueue.x-k8s.io/pod-group-pod-index", index}};
  };
  CHECK(tasks_of({{"z", in_group("0")}, {"a", in_group("10")}, {"m", in_group("2")}}) == "0 - 2 - - - - - - - 1");
  const auto in_clique = [](const std::string& index) {
    return Labels{{"grove.io/podclique", "c"}, {"grove.io/podclique-pod-index", index}};
  };
  CHECK(order_of({{"c-zz", in_clique("0")}, {"c-aa", in_clique("1")}}) == "0 1");
  CHECK(order_of({{"x", in_group("")}, {"b", in_group("")}}) == "1 0");
}

TEST_CASE("a pod without an index does not take the others out of their order") {
  std::vector<std::pair<std::string, Labels>> pods = {{"a-launcher", {}}};
  std::string wanted;
  for (int i = 0; i < 12; ++i) pods.emplace_back(fmt::format("t-{}-abcde", i), indexed("t", std::to_string(i)));
  std::sort(pods.begin(), pods.end());
  const std::string order = order_of(pods);
  CHECK(order == "1 2 5 6 7 8 9 10 11 12 3 4 0");
  pods.front().second = {{"training.kubeflow.org/job-name", "t"}, {"training.kubeflow.org/job-role", "launcher"}};
  CHECK(order_of(pods).substr(0, 4) == "0 1 ");
  // A head, and workers of a server that gives them no index yet.
  const Labels worker = {{"ray.io/cluster", "t"}, {"ray.io/node-type", "worker"}, {"ray.io/group", "g"}};
  CHECK(order_of({{"t-worker-10", worker}, {"t-worker-2", worker}, {"t-head", {{"ray.io/cluster", "t"}, {"ray.io/node-type", "head"}}}}) ==
        "2 1 0");
}

TEST_CASE("an Indexed Job") {
  CHECK(order_of({{"j-10-aaaaa", indexed("j", "10")}, {"j-2-bbbbb", indexed("j", "2")}}) == "1 0");
  CHECK(order_of({{"j-10-aaaaa", indexed("j", "10")}, {"j-2-bbbbb", indexed("j", "2")}}, PodOrder::name) == "0 1");
  CHECK(order_of({{"a10-0-x", indexed("a10", "0")}, {"a2-1-x", indexed("a2", "1")}, {"a2-0-x", indexed("a2", "0")}}) == "2 1 0");
  // Without the job's name, the pod's name gives the job.
  const std::string key = "batch.kubernetes.io/job-completion-index";
  CHECK(order_of({{"b-0-xxxxx", {{key, "0"}}}, {"a-0-yyyyy", {{key, "0"}}}}) == "1 0");
}

TEST_CASE("a JobSet: by the job's global index, then by the completion index") {
  CHECK(order_of(
            {{"d", in_set("1", "1", "0")}, {"a", in_set("0", "10", "0")}, {"b", in_set("0", "0", "11")}, {"c", in_set("0", "0", "2")}}) ==
        "3 2 0 1");
}

TEST_CASE("an index that only another Job or group has stays free") {
  CHECK(tasks_of({{"a", in_set("0", "0", "0")}, {"b", in_set("1", "1", "0")}, {"c", in_set("1", "1", "1")}}) == "0 - 1 2");
  CHECK(tasks_of({{"a", in_set("1", "1", "1")}, {"b", in_set("2", "2", "0")}}) == "- 0 1");  // of Jobs that are not there nothing is known
  CHECK(tasks_of({{"a", in_set("0", "0", "0")}, {"b", in_set("0", "1", "0")}, {"c", in_set("0", "1", "1")}}) == "0 1 2");  // two roles
  CHECK(tasks_of({{"a", in_set("0", "0", "1")}, {"b", in_set("1", "1", "2")}}) == "0 - - 1");
  // Far fewer pods than places: their numbers mean something else.
  CHECK(tasks_of({{"a", in_set("0", "0", "0")},
                  {"b", in_set("1", "1", "1")},
                  {"c", in_set("2", "2", "2")},
                  {"d", in_set("3", "3", "3")},
                  {"e", in_set("4", "4", "4")}}) == "0 1 2 3 4");
  const auto in_group = [](const char* group, const char* index) {
    return Labels{{"leaderworkerset.sigs.k8s.io/name", "l"},
                  {"leaderworkerset.sigs.k8s.io/group-index", group},
                  {"leaderworkerset.sigs.k8s.io/worker-index", index}};
  };
  CHECK(tasks_of({{"a", in_group("0", "0")}, {"b", in_group("1", "0")}, {"c", in_group("1", "1")}}) == "0 - 1 2");
  CHECK(tasks_of({{"a", in_group("0", "1")}, {"b", in_group("1", "1")}}) == "0 1");  // without the leaders
}

TEST_CASE("a LeaderWorkerSet: by group, leaders first; its StatefulSet's index does not count") {
  const auto worker = [](const char* group, const char* index) {
    return Labels{{"leaderworkerset.sigs.k8s.io/name", "l"},
                  {"leaderworkerset.sigs.k8s.io/group-index", group},
                  {"leaderworkerset.sigs.k8s.io/worker-index", index},
                  {"apps.kubernetes.io/pod-index", "0"}};
  };
  CHECK(order_of({{"l-1", worker("1", "0")}, {"l-0-10", worker("0", "10")}, {"l-0-2", worker("0", "2")}, {"l-0", worker("0", "0")}}) ==
        "3 2 1 0");
}

TEST_CASE("a StatefulSet, with the label of either age") {
  CHECK(order_of({{"s-10", {{"apps.kubernetes.io/pod-index", "10"}}}, {"s-9", {{"apps.kubernetes.io/pod-index", "9"}}}}) == "1 0");
  CHECK(order_of({{"s-10", {{"statefulset.kubernetes.io/pod-name", "s-10"}}}, {"s-9", {{"statefulset.kubernetes.io/pod-name", "s-9"}}}}) ==
        "1 0");
  // A label that Jobs set too, set by the user.
  CHECK(order_of({{"s-10", {{"apps.kubernetes.io/pod-index", "10"}, {"job-name", "s"}}},
                  {"s-9", {{"apps.kubernetes.io/pod-index", "9"}, {"job-name", "s"}}}}) == "1 0");
}

TEST_CASE("Kubeflow: the master first") {
  const auto replica = [](const char* type, const char* index) {
    return Labels{{"training.kubeflow.org/job-name", "k"},
                  {"training.kubeflow.org/replica-type", type},
                  {"training.kubeflow.org/replica-index", index}};
  };
  CHECK(order_of({{"k-worker-10", replica("worker", "10")}, {"k-worker-9", replica("worker", "9")}, {"z", replica("master", "0")}}) ==
        "2 1 0");
}

TEST_CASE("Kubeflow: worker I is task I + 1 behind a master, also where one before it is missing") {
  const auto replica = [](const char* type, const char* index) {
    return Labels{{"training.kubeflow.org/job-name", "k"},
                  {"training.kubeflow.org/replica-type", type},
                  {"training.kubeflow.org/replica-index", index}};
  };
  CHECK(tasks_of({{"k-master-0", replica("master", "0")}, {"k-worker-1", replica("worker", "1")}}) == "0 - 1");
  CHECK(tasks_of({{"k-worker-2", replica("worker", "2")}, {"k-worker-0", replica("worker", "0")}}) == "1 - 0");
  CHECK(tasks_of({{"k-master-0", replica("master", "0")}, {"k-worker-0", replica("worker", "0")}}) == "0 1");
  // The roles of a TFJob in one selector have no common numbers.
  CHECK(tasks_of({{"a", replica("chief", "0")}, {"b", replica("ps", "1")}, {"c", replica("worker", "3")}}) == "0 1 2");
  CHECK(tasks_of({{"a", replica("master", "0")},
                  {"b",
                   {{"training.kubeflow.org/job-name", "other"},
                    {"training.kubeflow.org/replica-type", "worker"},
                    {"training.kubeflow.org/replica-index", "3"}}}}) == "0 1");
}

TEST_CASE("the launcher of an MPIJob that is a worker, too, is worker 0") {
  const auto mpi = [](const char* role, const char* index) {
    Labels labels{{"training.kubeflow.org/job-name", "k"}, {"training.kubeflow.org/job-role", role}};
    if (*index) labels.emplace_back("training.kubeflow.org/replica-index", index);
    return labels;
  };
  CHECK(tasks_of({{"a", mpi("worker", "2")}, {"b", mpi("worker", "1")}, {"c", mpi("launcher", "0")}}) == "2 1 0");
  CHECK(tasks_of({{"a", mpi("worker", "2")}, {"c", mpi("launcher", "0")}}) == "1 - 0");
  CHECK(tasks_of({{"a", mpi("worker", "2")}, {"b", mpi("worker", "0")}, {"c", mpi("launcher", "")}}) == "2 1 - 0");
}

TEST_CASE("KubeRay: the head, then group, replica and host") {
  const auto worker = [](const char* group, const char* replica, const char* host) {
    Labels labels{
        {"ray.io/cluster", "c"}, {"ray.io/node-type", "worker"}, {"ray.io/group", group}, {"ray.io/worker-group-replica-index", replica}};
    if (*host) labels.emplace_back("ray.io/replica-host-index", host);
    return labels;
  };
  CHECK(order_of({{"a", worker("g", "1", "0")},
                  {"b", worker("g", "0", "1")},
                  {"c", worker("g", "0", "0")},
                  {"d", {{"ray.io/cluster", "c"}, {"ray.io/node-type", "head"}, {"ray.io/group", "headgroup"}}}}) == "3 2 1 0");
  CHECK(order_of({{"a", worker("g", "1", "")}, {"b", worker("g", "0", "")}}) == "1 0");
  // KubeRay before 1.5 set no indices.
  CHECK(order_of({{"a", {{"ray.io/cluster", "c"}, {"ray.io/node-type", "worker"}}},
                  {"b", {{"ray.io/cluster", "c"}, {"ray.io/node-type", "worker"}}}}) == "0 1");
}

TEST_CASE("some pods without an index: order of names, or a failure when indices are wanted") {
  const std::vector<std::pair<std::string, Labels>> mixed{{"a", indexed("j", "1")}, {"b", {}}, {"0", indexed("j", "0")}};
  CHECK(order_of(mixed) == "2 0 1");
  CHECK_THAT(order_of(mixed, PodOrder::index), Contains("failed_precondition: pod 'train/b' has no label that says which index it has"));
  CHECK_THAT(order_of({{"a", indexed("j", "x")}}, PodOrder::index), Contains("'train/a' has no label"));
  CHECK_THAT(order_of({{"a", indexed("j", "99999999999")}}, PodOrder::index), Contains("'train/a' has no label"));
  CHECK_THAT(order_of({{"a", indexed("j", "0")}, {"b", {{"apps.kubernetes.io/pod-index", "0"}}}}, PodOrder::index),
             Contains("pod 'train/a' is numbered by its Indexed Job, pod 'train/b' by its StatefulSet"));
}

TEST_CASE("pods without an index come after those that have one") {
  CHECK(order_of({{"debug", {}}, {"j-10-x", indexed("j", "10")}, {"j-2-x", indexed("j", "2")}}) == "2 1 0");
  CHECK(order_of({{"j-0-x", indexed("j", "0")}, {"w-10", {}}, {"w-2", {}}}) == "0 2 1");
}

TEST_CASE("an MPIJob: the launcher has no index, and is first") {
  const auto role = [](const char* name, const char* index) {
    Labels labels{{"training.kubeflow.org/job-name", "m"}, {"training.kubeflow.org/job-role", name}};
    if (*index) labels.emplace_back("training.kubeflow.org/replica-index", index);
    return labels;
  };
  CHECK(order_of({{"m-launcher-x", role("launcher", "")}, {"m-worker-10", role("worker", "10")}, {"m-worker-2", role("worker", "2")}}) ==
        "0 2 1");
  CHECK(order_of({{"m-worker-10", role("worker", "10")}, {"m-worker-9", role("worker", "9")}}, PodOrder::name) == "0 1");
}

TEST_CASE("a Volcano job: masters first, then by task and index") {
  const auto task = [](const char* name, const char* index) {
    return Labels{{"volcano.sh/job-name", "v"}, {"volcano.sh/task-spec", name}, {"volcano.sh/task-index", index}};
  };
  CHECK(order_of({{"a", task("worker", "10")}, {"b", task("worker", "2")}, {"c", task("master", "0")}}) == "2 1 0");
}

TEST_CASE("two pods with one index are a conflict, unless the order is by name") {
  const std::vector<std::pair<std::string, Labels>> twins{{"a", indexed("j", "3")}, {"b", indexed("j", "3")}};
  CHECK_THAT(order_of(twins),
             Contains("conflict: pods 'train/") && Contains("'train/a'") && Contains("'train/b'") && Contains("same index 3"));
  CHECK(order_of(twins, PodOrder::name) == "0 1");
}

TEST_CASE("an index without a pod matters when indices are wanted") {
  const std::vector<std::pair<std::string, Labels>> gap{{"a", indexed("j", "0")}, {"b", indexed("j", "2")}};
  CHECK(tasks_of(gap) == "0 - 1");  // the index is the task, as in a status
  CHECK(tasks_of(gap, PodOrder::name) == "0 1");
  CHECK_THAT(order_of(gap, PodOrder::index), Contains("not_ready: no pod has index 1 of the Indexed Job that 'train/b' belongs to"));
  CHECK(order_of({{"c", in_set("1", "1", "0")}, {"a", in_set("0", "0", "0")}, {"b", in_set("0", "0", "1")}}, PodOrder::index) == "1 2 0");
}

TEST_CASE("a StatefulSet may begin to count anywhere, and has no gap because of that") {
  const auto numbered = [](const char* index) { return Labels{{"apps.kubernetes.io/pod-index", index}}; };
  CHECK(order_of({{"w-6", numbered("6")}, {"w-5", numbered("5")}}, PodOrder::index) == "1 0");
  CHECK(order_of({{"v-0", numbered("0")}, {"w-6", numbered("6")}, {"w-5", numbered("5")}}, PodOrder::index) == "0 2 1");
  CHECK_THAT(order_of({{"w-7", numbered("7")}, {"w-5", numbered("5")}}, PodOrder::index),
             Contains("not_ready: no pod has index 6 of the StatefulSet that 'train/w-7' belongs to"));
  CHECK_THAT(order_of({{"j", indexed("j", "1")}}, PodOrder::index), Contains("no pod has index 0 of the Indexed Job"));
}
