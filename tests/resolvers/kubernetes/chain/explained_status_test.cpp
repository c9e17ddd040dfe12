// The explained status of pods: which requests are sent, what they add, and what is said of those that are refused.
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/cause_text.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// An API server by paths: the first entry whose text is in the path answers.
class PathServer {
 public:
  PathServer& on(std::string part, std::string body, int status = 200, Duration after = Duration(0)) {
    routes_.push_back(Route{std::move(part), std::move(body), status, after});
    return *this;
  }
  void serve(TestRuntime& t) {
    t.transport->respond = [this](const HttpRequest& request) {
      for (const Route& route : routes_) {
        if (request.url.target.find(route.part) == std::string::npos) continue;
        ScriptedTransport::Answer answer(ScriptedTransport::reply(route.status, route.body));
        answer.after = route.after;
        return answer;
      }
      return ScriptedTransport::Answer(ScriptedTransport::reply(404, "404 page not found"));
    };
  }

 private:
  class Route {
   public:
    Route(std::string p, std::string b, int s, Duration a) : part(std::move(p)), body(std::move(b)), status(s), after(a) {}
    std::string part;
    std::string body;
    int status;
    Duration after;
  };
  std::vector<Route> routes_;
};

std::string creating_pod() {
  return R"({"metadata":{"name":"trainer-0-x","namespace":"train","uid":"u-0","labels":{"batch.kubernetes.io/job-completion-index":"0"},)"
         R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"trainer","uid":"j-1","controller":true}]},)"
         R"("spec":{"nodeName":"g1","containers":[{"name":"trainer"}]},"status":{"phase":"Pending","hostIP":"10.0.0.1",)"
         R"("conditions":[{"type":"PodScheduled","status":"True"}],)"
         R"("containerStatuses":[{"name":"trainer","state":{"waiting":{"reason":"ContainerCreating"}}}]}})";
}

constexpr std::string_view mount_event =
    R"({"items":[{"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"train","name":"trainer-0-x","uid":"u-0"},)"
    R"("reason":"FailedMount","message":"secret \"wandb\" not found","type":"Warning","lastTimestamp":"2026-11-26T13:00:00Z"}]})";
constexpr std::string_view no_events = R"({"items":[]})";
constexpr std::string_view job_object =
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"trainer","namespace":"train","uid":"j-1"},"spec":{}})";
constexpr std::string_view good_node = R"({"metadata":{"name":"g1"},"status":{"conditions":[{"type":"Ready","status":"True"}]}})";

ExplainedStatus explained(TestRuntime& t) {
  KubernetesOptions options = at_test_server();
  options.namespace_name("train").job("worker", {"job-name=trainer"});
  const Result<ExplainedStatus> status = t.run(make_kubernetes_resolver(t.runtime, std::move(options))->try_explained_status());
  if (!status) FAIL(status.error().message());
  return *status;
}

std::string unread_of(const ExplainedStatus& status) {
  std::string text;
  for (const std::string& note : status.unread) text += note + "\n";
  return text;
}

PathServer usual_server() {
  PathServer server;
  server.on("pods?labelSelector", list_json(creating_pod()))
      .on("pods/trainer-0-x", creating_pod())
      .on("jobs/trainer", std::string(job_object));
  return server;
}

}  // namespace

TEST_CASE("an event says why a pod is still being created") {
  TestRuntime t;
  PathServer server = usual_server();
  server.on("type%21%3DNormal", std::string(mount_event)).on("events?", std::string(no_events)).on("nodes/g1", std::string(good_node));
  server.serve(t);
  const ExplainedStatus status = explained(t);
  REQUIRE(status.status.members.size() == 1);
  CHECK_THAT(causes_text(status.status.members[0].causes), Contains("secret \"wandb\" not found"));
  CHECK(unread_of(status).empty());
}

TEST_CASE("layers that may not be read are named with their rights, and the others count") {
  TestRuntime t;
  const std::string refused = status_json(403, "Forbidden", "events is forbidden");
  PathServer server = usual_server();
  server.on("events?", refused, 403).on("nodes/g1", refused, 403).on("apis/kueue", status_json(403, "Forbidden", "no"), 403);
  server.serve(t);
  const ExplainedStatus status = explained(t);
  CHECK_THAT(unread_of(status), Contains("events may not be read: list events in namespace train\n") &&
                                    Contains("nodes may not be read: get nodes, in the whole cluster\n") &&
                                    Contains("Kueue's workloads may not be read: list workloads.kueue.x-k8s.io in namespace train\n"));
}

TEST_CASE("a layer that takes longer than a second is left out") {
  TestRuntime t;
  PathServer server = usual_server();
  server.on("events?", std::string(mount_event), 200, 20s).on("nodes/g1", std::string(good_node));
  server.serve(t);
  const SteadyTime begun = t.time->now();
  const ExplainedStatus status = explained(t);
  CHECK(t.time->now() - begun < 2s);
  CHECK_THAT(unread_of(status), Contains("events were not read within 1 s"));
}

TEST_CASE("of pods that are all ready only the nodes are read, and a dead GPU is a warning") {
  TestRuntime t;
  PathServer server;
  server
      .on("pods?labelSelector",
          list_json(R"({"metadata":{"name":"a","namespace":"train","uid":"u"},"spec":{"nodeName":"g2"},"status":{"phase":"Running",)"
                    R"("hostIP":"10.0.0.1","conditions":[{"type":"Ready","status":"True"}]}})"))
      .on("nodes/g2", R"({"metadata":{"name":"g2"},"status":{"conditions":[{"type":"Ready","status":"True"},)"
                      R"({"type":"SysLogsXIDError","status":"True","message":"ErrorCode:79 GPU:0"}]}})");
  server.serve(t);
  const ExplainedStatus status = explained(t);
  REQUIRE(status.status.members.size() == 1);
  CHECK(status.status.members[0].state.level == MemberState::ready);
  CHECK_THAT(causes_text(status.status.members[0].causes), Contains("SysLogsXIDError: ErrorCode:79 GPU:0") && Contains("(Node g2)"));
  CHECK(t.transport->requests.size() == 2);
}

TEST_CASE("a wait that sees no change looks for the causes, and names them at its deadline") {
  TestRuntime t;
  PathServer server = usual_server();
  server.on("type%21%3DNormal", std::string(mount_event)).on("events?", std::string(no_events)).on("nodes/g1", std::string(good_node));
  server.serve(t);
  KubernetesOptions options = at_test_server();
  options.namespace_name("train").job("worker", {"job-name=trainer"});
  std::string last_line;
  WaitOptions wait;
  wait.timeout(20s).on_progress([&last_line](const WaitProgress& progress) { last_line = progress.line(); });
  const Result<ClusterStatus> ready =
      t.run(try_wait_until_ready(make_kubernetes_resolver(t.runtime, std::move(options)), usually_ready, std::move(wait)));
  REQUIRE_FALSE(ready);
  CHECK_THAT(last_line, Contains("FailedMount: secret \"wandb\" not found"));
  CHECK_THAT(ready.error().message(), Contains("FailedMount: secret \"wandb\" not found"));
}

TEST_CASE("why pods have not ended that come before the members, and why a Job of a TrainJob's JobSet has no pods") {
  TestRuntime t;
  const std::string owner =
      R"("ownerReferences":[{"apiVersion":"jobset.x-k8s.io/v1","kind":"JobSet","name":"t","uid":"js","controller":true}])";
  const std::string job_set =
      R"({"kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1","metadata":{"name":"t","namespace":"train","uid":"js","ownerReferences":)"
      R"([{"apiVersion":"trainer.kubeflow.org/v1","kind":"TrainJob","name":"t","uid":"tj","controller":true}]},"spec":{"replicatedJobs":)"
      R"([{"name":"fetch","replicas":1,"template":{"spec":{}}},{"name":"node","replicas":1,)"
      R"("dependsOn":[{"name":"fetch","status":"Complete"}],"template":{"spec":{"parallelism":2,"completions":2}}}]}})";
  const std::string fetching =
      R"({"metadata":{"name":"t-fetch-0-0-x","namespace":"train","uid":"f-0"},"spec":{"containers":[{"name":"fetch"}],"nodeName":"g1"},)"
      R"("status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"True"}],"containerStatuses":[{"name":"fetch",)"
      R"("state":{"waiting":{"reason":"ImagePullBackOff","message":"unauthorized"}}}]}})";
  const std::string elsewhere =
      R"({"metadata":{"name":"t-fetch-0-0-y","namespace":"other","uid":"f-1"},"spec":{"containers":[{"name":"fetch"}]},)"
      R"("status":{"phase":"Pending","containerStatuses":[{"name":"fetch","state":{"waiting":{"reason":"InvalidImageName"}}}]}})";
  const std::string group = R"({"kind":"APIGroup","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}})";
  const std::string refused =
      R"({"items":[{"metadata":{"name":"e"},"involvedObject":{"kind":"Job","namespace":"train","name":"t-node-0","uid":"j-0"},)"
      R"("reason":"FailedCreate","message":"Error creating: exceeded quota: gpus","type":"Warning","lastTimestamp":"2026-11-26T13:00:00Z"}]})";
  PathServer server;
  server
      .on("pods?labelSelector=jobset.sigs.k8s.io%2Fjobset-name%3Dt%2Cjobset.sigs.k8s.io%2Freplicatedjob-name%3Dfetch",
          list_json(fetching + "," + elsewhere))
      .on("pods?labelSelector", list_json(""))
      .on("/jobs/t-node-0",
          R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"t-node-0","namespace":"train","uid":"j-0",)" + owner + "}}")
      .on("jobsets/t", job_set)
      .on("trainjobs/t",
          R"({"kind":"TrainJob","apiVersion":"trainer.kubeflow.org/v1","metadata":{"name":"t","namespace":"train","uid":"tj"},"spec":{}})")
      .on("type%21%3DNormal", refused)
      .on("events?", std::string(no_events))
      .on("apis/jobset.x-k8s.io", group)
      .on("apis/trainer.kubeflow.org", group);
  server.serve(t);
  KubernetesOptions options = at_test_server();
  options.namespace_name("train").workload("trainjob", "t");
  const Result<ExplainedStatus> status = t.run(make_kubernetes_resolver(t.runtime, std::move(options))->try_explained_status());
  if (!status) FAIL(status.error().message());
  std::string causes;
  for (const Cause& cause : status->status.causes) causes += cause_text(cause) + "\n";
  CHECK_THAT(causes,
             Contains("fetch has to end first") && Contains("ImagePullBackOff: unauthorized (fetch: pod t-fetch-0-0-x, container fetch)"));
  CHECK_THAT(causes, Contains("FailedCreate: exceeded quota: gpus (Job t-node-0)"));
  CHECK_THAT(causes, !Contains("InvalidImageName"));  // of a namespace with a JobSet of that name
}

TEST_CASE("why the workers of a leader could not be created: its StatefulSet is of a pod that is ready") {
  TestRuntime t;
  const std::string leader =
      R"({"metadata":{"name":"v-0","namespace":"train","uid":"u-0","labels":{"leaderworkerset.sigs.k8s.io/name":"v",)"
      R"("leaderworkerset.sigs.k8s.io/group-index":"0","leaderworkerset.sigs.k8s.io/worker-index":"0"},"ownerReferences":)"
      R"([{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"v","uid":"l","controller":true}]},)"
      R"("spec":{"nodeName":"g1","containers":[{"name":"s"}]},"status":{"phase":"Running","hostIP":"10.0.0.1",)"
      R"("conditions":[{"type":"Ready","status":"True"}]}})";
  PathServer server;
  server.on("pods?labelSelector", list_json(leader))
      .on("pods/v-0", leader)
      .on("statefulsets/v-0", R"({"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"v-0","namespace":"train","uid":"s-0",)"
                              R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"v-0","uid":"u-0","controller":true}]}})")
      .on("leaderworkersets/v", R"({"kind":"LeaderWorkerSet","apiVersion":"leaderworkerset.x-k8s.io/v1","metadata":{"name":"v",)"
                                R"("namespace":"train","uid":"l"},"spec":{"replicas":1,"leaderWorkerTemplate":{"size":2}}})")
      .on("type%21%3DNormal",
          R"({"items":[{"metadata":{"name":"e"},"involvedObject":{"kind":"StatefulSet","namespace":"train","name":"v-0","uid":"s-0"},)"
          R"("reason":"FailedCreate","message":"exceeded quota: gpus","type":"Warning","lastTimestamp":"2026-11-26T13:00:00Z"}]})")
      .on("events?", std::string(no_events))
      .on("nodes/g1", std::string(good_node))
      .on("apis/leaderworkerset.x-k8s.io", R"({"kind":"APIGroup","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}})");
  server.serve(t);
  KubernetesOptions options = at_test_server();
  options.namespace_name("train").workload("lws", "v");
  const Result<ExplainedStatus> status = t.run(make_kubernetes_resolver(t.runtime, std::move(options))->try_explained_status());
  if (!status) FAIL(status.error().message());
  CHECK_THAT(causes_text(status->status.causes), Contains("FailedCreate: exceeded quota: gpus (StatefulSet v-0)"));
}
