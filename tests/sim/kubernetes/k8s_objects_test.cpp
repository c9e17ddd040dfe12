// Controllers, nodes, events and written objects of the simulated cluster.
#include "sim/kubernetes/k8s_support.hpp"

namespace rollcall::sim {

namespace {

boost::json::value kube_json(Cloud& cloud, std::string target, double at = 0) {
  const Reply reply = ask_kube(cloud, std::move(target), at, "admin");
  INFO(reply.body);
  REQUIRE(reply.status == 200);
  return json_of(reply);
}

std::vector<std::string> event_types(std::string_view body) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find('\n', at);
    out.emplace_back(boost::json::parse(std::string(body.substr(at, end - at))).at("type").as_string());
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("a controller has made one of four pods") {
  const auto cloud = kube_cloud(R"({"kind": "job_set", "name": "trainer", "count": 4, "groups": 2, "stagger": "1m"})");
  const auto job_set = kube_json(*cloud, "/apis/jobset.x-k8s.io/v1alpha2/namespaces/train/jobsets/trainer");
  CHECK(text_of(job_set).starts_with(R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"trainer")"));
  const auto& jobs = job_set.at("spec").at("replicatedJobs").as_array();
  CHECK(jobs.at(0).at("replicas") == 2);
  CHECK(jobs.at(0).at("template").at("spec").at("parallelism") == 4);
  const auto job = kube_json(*cloud, "/apis/batch/v1/namespaces/train/jobs/trainer-workers-0");
  CHECK(job.at("spec").at("completions") == 4);
  CHECK(job.at("status").at("active") == 1);
  CHECK(job.at("metadata").at("ownerReferences").at(0).at("uid") == job_set.at("metadata").at("uid"));
  const auto pods = kube_json(*cloud, pods_of());
  CHECK(pods.at("items").as_array().size() == 1);
  CHECK(pods.at("items").at(0).at("metadata").at("ownerReferences").at(0).at("uid") == job.at("metadata").at("uid"));
  const auto later = kube_json(*cloud, "/apis/batch/v1/namespaces/train/jobs/trainer-workers-0", 200);
  CHECK(later.at("status").at("active") == 4);
  CHECK(later.at("status").at("ready") == 4);
  CHECK(later.at("metadata").at("resourceVersion") == "1004");
  CHECK(names_of_items(ask_kube(*cloud, "/apis/batch/v1/jobs", 500, "admin")) ==
        std::vector<std::string>{"trainer-workers-0", "trainer-workers-1"});
}

TEST_CASE("other controllers have their numbers, too") {
  const auto cloud = kube_cloud(R"({"kind": "leader_worker_set", "name": "serve", "count": 3, "groups": 2},
    {"kind": "stateful_set", "name": "ps", "count": 2, "labels": {"app": "ps"}}, {"kind": "replica_set", "name": "web", "count": 2})");
  const auto set = kube_json(*cloud, "/apis/leaderworkerset.x-k8s.io/v1/namespaces/train/leaderworkersets/serve");
  CHECK(set.at("spec").at("replicas") == 2);
  CHECK(set.at("spec").at("leaderWorkerTemplate").at("size") == 3);
  CHECK(set.at("status").at("readyReplicas") == 2);
  const auto leaders = kube_json(*cloud, "/apis/apps/v1/namespaces/train/statefulsets/serve");
  CHECK(leaders.at("spec").at("replicas") == 2);
  const auto workers = kube_json(*cloud, "/apis/apps/v1/namespaces/train/statefulsets/serve-1");
  CHECK(workers.at("spec").at("replicas") == 2);
  CHECK(workers.at("spec").at("ordinals").at("start") == 1);
  const auto leader = kube_json(*cloud, pods_of("/serve-1"));
  CHECK(workers.at("metadata").at("ownerReferences").at(0).at("uid") == leader.at("metadata").at("uid"));
  const auto ps = kube_json(*cloud, "/apis/apps/v1/namespaces/train/statefulsets/ps");
  CHECK(text_of(ps.at("spec").at("selector")) == R"({"matchLabels":{"app":"ps"}})");
  CHECK(kube_json(*cloud, "/apis/apps/v1/namespaces/train/deployments/web").at("spec").at("replicas") == 2);
  CHECK(kube_json(*cloud, "/api/v1/nodes/ps-host-0").at("status").at("conditions").at(0).at("status") == "True");
}

TEST_CASE("groups are discovered, and absent ones are not there") {
  const auto cloud = kube_cloud("", R"("objects": [{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "a"}},
    {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "b"}}])");
  const auto group = kube_json(*cloud, "/apis/kueue.x-k8s.io");
  CHECK(group.at("preferredVersion").at("version") == "v1beta2");
  CHECK(group.at("versions").as_array().size() == 2);
  CHECK(kube_json(*cloud, "/apis/kueue.x-k8s.io/v1beta2").at("resources").at(0).at("name") == "workloads");
  CHECK(kube_json(*cloud, "/apis").at("groups").as_array().size() == 3);
  for (const char* const path :
       {"/apis/jobset.x-k8s.io", "/apis/kueue.x-k8s.io/v1", "/apis/kueue.x-k8s.io/v1/workloads", "/apis/batch/v1/cronjobs"}) {
    const Reply reply = ask_kube(*cloud, path, 0, "admin");
    CHECK(reply.status == 404);
    CHECK(reply.body == "404 page not found\n");
  }
  const Reply absent = ask_kube(*cloud, "/apis/batch/v1/namespaces/train/jobs/x", 0, "admin");
  CHECK(json_of(absent).at("message") == "jobs.batch \"x\" not found");
  const Reply refused = ask_kube(*cloud, "/apis/batch/v1/namespaces/train/jobs/x", 0, "train");
  CHECK(
      json_of(refused).at("message") ==
      "jobs.batch \"x\" is forbidden: User \"system:serviceaccount:train:rollcall\" cannot get resource \"jobs\" in API group \"batch\" in "
      "the namespace \"train\"");
}

TEST_CASE("objects change and can be watched") {
  const auto cloud = kube_cloud("", R"("objects": [
    {"object": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"app": "x"}}, "spec": {"suspend": true, "parallelism": 4}},
     "timeline": [{"at": 10, "patch": {"spec": {"suspend": false}}}, {"at": 20, "deleted": true}]}])");
  const std::string path = "/apis/batch/v1/namespaces/train/jobs";
  CHECK(kube_json(*cloud, path + "/a").at("spec").at("suspend") == true);
  const auto job = kube_json(*cloud, path + "/a", 10);
  CHECK(job.at("spec").at("suspend") == false);
  CHECK(job.at("spec").at("parallelism") == 4);
  CHECK(job.at("metadata").at("resourceVersion") == "1002");
  CHECK(ask_kube(*cloud, path + "/a", 20, "admin").status == 404);
  CHECK(kube_json(*cloud, path + "?labelSelector=app%3Dy").at("items").as_array().empty());

  Request request = kube_request(path + "?watch=1&timeoutSeconds=60&labelSelector=app%3Dx", "admin");
  Reply reply = cloud->handle(request, second(0));
  std::string all = reply.body;
  while (reply.more) {
    request.held = reply.more;
    reply = cloud->handle(request, reply.more->ask_again);
    all += reply.body;
  }
  CHECK(event_types(all) == std::vector<std::string>{"ADDED", "MODIFIED", "DELETED"});
}

TEST_CASE("a controller's watch follows its pods") {
  const auto cloud = kube_cloud(R"({"kind": "job", "name": "a", "count": 2, "stagger": 10})");
  Request request = kube_request("/apis/batch/v1/namespaces/train/jobs?watch=1&resourceVersion=1000&timeoutSeconds=30", "admin");
  Reply reply = cloud->handle(request, second(0));
  std::string all = reply.body;
  while (reply.more) {
    request.held = reply.more;
    reply = cloud->handle(request, reply.more->ask_again);
    all += reply.body;
  }
  CHECK(event_types(all) == std::vector<std::string>{"MODIFIED", "MODIFIED"});
  CHECK_THAT(all, Catch::Contains("\"active\":2"));
}

TEST_CASE("causes have the documents of the kubelet and their events") {
  const auto cloud = kube_cloud(R"({"kind": "indexed_job", "name": "t", "count": 6, "tpus": 4, "except": [
    {"pod": 0, "cause": "image_pull"}, {"pod": 1, "cause": "out_of_memory"}, {"pod": 2, "cause": "init_failing"},
    {"pod": 3, "cause": "node_refuses"}, {"pod": 4, "cause": "node_down"}, {"pod": 5, "timeline": [{"at": 5, "cause": "evicted"}]}]})");
  const auto items = kube_json(*cloud, pods_of(), 6).at("items").as_array();
  REQUIRE(items.size() == 6);
  const auto status = [&](std::size_t i) { return items.at(i).at("status"); };
  CHECK(status(0).at("containerStatuses").at(0).at("state").at("waiting").at("reason") == "ImagePullBackOff");
  CHECK(status(1).at("containerStatuses").at(0).at("lastState").at("terminated").at("reason") == "OOMKilled");
  CHECK(status(2).at("initContainerStatuses").at(0).at("state").at("waiting").at("reason") == "CrashLoopBackOff");
  CHECK(status(2).at("containerStatuses").at(0).at("state").at("waiting").at("reason") == "PodInitializing");
  CHECK(status(3).at("phase") == "Failed");
  CHECK_FALSE(status(3).as_object().contains("conditions"));
  CHECK(status(4).at("containerStatuses").at(0).at("ready") == true);
  CHECK(status(5).at("conditions").at(0).at("type") == "DisruptionTarget");
  CHECK(items.at(5).at("metadata").as_object().contains("deletionTimestamp"));
  CHECK(kube_json(*cloud, pods_of(), 36).at("items").as_array().size() == 5);
  CHECK(kube_json(*cloud, "/api/v1/nodes/t-host-4").at("status").at("conditions").at(0).at("status") == "Unknown");
  const std::string events = "/api/v1/namespaces/train/events";
  const std::string uid(items.at(0).at("metadata").at("uid").as_string());
  CHECK(kube_json(*cloud, events + "?fieldSelector=involvedObject.uid%3D" + uid + ",type!%3DNormal").at("items").as_array().size() == 2);
  CHECK(kube_json(*cloud, events + "?fieldSelector=reason%3DNothing").at("items").as_array().empty());
  CHECK(ask_kube(*cloud, events + "?fieldSelector=regarding.name%3Dx", 0, "admin").status == 400);
}

TEST_CASE("a pod that has no place lacks the device that it asks for") {
  const auto cloud =
      kube_cloud(R"({"kind": "indexed_job", "name": "t", "count": 2, "cause": "unschedulable", "raw": {"spec": {"containers": [
    {"name": "main", "resources": {"limits": {"memory": "1Gi", "nvidia.com/gpu": "8"}}}]}}, "except": [{"pod": 1, "cause": "node_refuses"}]})");
  const auto items = kube_json(*cloud, pods_of(), 6).at("items").as_array();
  REQUIRE(items.size() == 2);
  const std::string waiting = boost::json::serialize(items.at(0).at("status"));
  CHECK_THAT(waiting, Catch::Contains("Insufficient nvidia.com/gpu"));
  CHECK(items.at(1).at("status").at("reason") == "OutOfnvidia.com/gpu");
  CHECK_THAT(std::string(items.at(1).at("status").at("message").as_string()), Catch::Contains("nvidia.com/gpu, requested: 8,"));
  CHECK_THAT(boost::json::serialize(kube_json(*cloud, "/api/v1/namespaces/train/events")), Catch::Contains("Insufficient nvidia.com/gpu"));
}

TEST_CASE("objects are refused with their place") {
  const auto fault = [](std::string_view objects) {
    const auto cloud = Cloud::parse("{\"kubernetes\": {\"objects\": [" + std::string(objects) + "]}}", "f");
    return cloud ? std::string("accepted") : cloud.error().what();
  };
  CHECK_THAT(fault(R"({"apiVersion": "v1"})"), Catch::Contains("an object needs apiVersion and kind"));
  CHECK_THAT(fault(R"({"apiVersion": "v1", "kind": "Node"})"), Catch::Contains("an object needs a name"));
  CHECK_THAT(fault(R"({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a", "namespace": "A/"}})"),
             Catch::Contains("no name of a namespace"));
  CHECK_THAT(
      fault(
          R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})"),
      Catch::Contains("there are two Node 'a'"));
  CHECK_THAT(
      fault(R"({"object": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}, "timeline": [{"at": 0, "deleted": true}]})"),
      Catch::Contains("must come after the creation"));
  CHECK(
      fault(
          R"({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [{"metadata": {"name": "a"}, "spec": {}, "status": {}}]})") ==
      "accepted");
  const auto both = Cloud::parse(R"({"kubernetes": {"pods": [{"name": "a", "phase": "Running", "cause": "gated"}]}})", "f");
  REQUIRE_FALSE(both);
  CHECK_THAT(both.error().what(), Catch::Contains("cause: it decides the phase"));
}

TEST_CASE("lists of a real server are served as they were") {
  for (const std::string kind : {"pods", "workloads"}) {
    const std::string text =
        kind == "pods" ? R"({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [
      {"metadata": {"name": "a-0", "namespace": "train", "uid": "u", "labels": {"app": "x"}}, "spec": {"nodeName": "n"}, "status": {"phase": "Failed", "reason": "Evicted"}}]})"
                       : R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadList", "metadata": {"continue": ""}, "items": [
      {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "w", "namespace": "train", "labels": {"app": "x"}}, "status": {}}]})";
    const auto cloud = kube_cloud("", R"("objects": [)" + text + "]");
    const std::string path = kind == "pods" ? pods_of() : "/apis/kueue.x-k8s.io/v1beta2/namespaces/train/workloads";
    const auto items = kube_json(*cloud, path + "?labelSelector=app%3Dx").at("items").as_array();
    REQUIRE(items.size() == 1);
    CHECK(items.at(0).at("metadata").at("resourceVersion") == "1001");
    if (kind == "pods") CHECK(text_of(items.at(0).at("status")) == R"({"phase":"Failed","reason":"Evicted"})");
  }
}

}  // namespace rollcall::sim
