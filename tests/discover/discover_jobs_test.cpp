// Searches for the jobs of a Kubernetes cluster.
#include "discover/discover_support.hpp"
#include "rollcall/resolver.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr const char* cluster = R"({"kubernetes": {"namespace": "train", "managed_fields": false,
  "users": [{"name": "launcher", "token": "kube-token", "rules": [{"namespaces": ["train", "eval"], "verbs": ["list"]}]},
            {"name": "admin", "token": "admin-token"}],
  "pods": [
    {"kind": "job_set", "name": "trainer", "count": 4, "except": [{"pod": 3, "running_after": 50}]},
    {"kind": "leader_worker_set", "name": "serve", "count": 2},
    {"kind": "indexed_job", "name": "tune", "count": 2},
    {"kind": "job_set", "name": "early", "count": 3, "except": [{"pod": 1, "created_at": 500}, {"pod": 2, "created_at": 500}]},
    {"kind": "job", "name": "once"}, {"kind": "job", "name": "over", "phase": "Succeeded"},
    {"kind": "indexed_job", "name": "patched", "count": 2}, {"kind": "pod", "name": "patched-1-old", "phase": "Failed",
      "labels": {"job-name": "patched", "batch.kubernetes.io/job-name": "patched", "batch.kubernetes.io/job-completion-index": "1"}},
    {"kind": "stateful_set", "name": "ps"}, {"kind": "replica_set", "name": "dashboard"},
    {"kind": "pod", "name": "ray-{i}", "count": 2, "labels": {"ray.io/cluster": "ray", "ray.io/node-type": "worker"}},
    {"kind": "indexed_job", "name": "trainer", "namespace": "eval"}]}})";

std::string kubeconfig(const std::string& token) {
  return R"({"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:6443"}}],
    "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "train"}}, {"name": "there", "context": {"cluster": "c", "user": "u", "namespace": "eval"}},
      {"name": "odd", "context": {"cluster": "c", "user": "u", "namespace": ".."}}],
    "current-context": "here", "users": [{"name": "u", "user": {"token": ")" +
         token + R"("}}]})";
}

class JobLoop : public CloudLoop {
 public:
  explicit JobLoop(const std::string& token = "kube-token")
      : CloudLoop(cluster, {{"KUBECONFIG", "/kube/config"}}, {{"/kube/config", kubeconfig(token)}}) {}
};

DiscoverOptions jobs() { return DiscoverOptions().kinds({FoundKind::job}); }

}  // namespace

TEST_CASE("the jobs of a namespace are found by its pods") {
  JobLoop t;
  const Finds finds = search(t, jobs());
  CHECK(finds.missing.empty());
  CHECK(finds.names() ==
        "job early, job once, job over, job patched, job ray, job serve, job trainer, job tune");  // without jobs that no selector can
                                                                                                   // distinguish
  const Found& trainer = finds.of("trainer");
  CHECK(trainer.workload == "JobSet");
  CHECK(trainer.namespace_name == "train");
  CHECK(trainer.target == "kubernetes:train,job.worker=jobset.sigs.k8s.io/jobset-name=trainer");
  CHECK(trainer.state == "Pending");  // one of them
  CHECK(trainer.health == "NotReady");
  CHECK(trainer.members == 4);
  CHECK(trainer.addresses.size() == 4);
  CHECK(finds.of("serve").workload == "LeaderWorkerSet");
  CHECK(finds.of("tune").state == "Running");
  CHECK(finds.of("tune").health == "Ready");
  CHECK(finds.of("once").workload == "Job");
  CHECK(finds.of("ray").workload == "RayCluster");  // although its pods have no index
}

TEST_CASE("a pod that has ended and was replaced does not affect its job's state; a job that has ended is neither ready nor not") {
  JobLoop t;
  t.advance_to(60);
  CHECK(search(t, jobs()).of("patched").state == "Running");
  CHECK(search(t, jobs()).of("patched").health == "Ready");
  CHECK(search(t, jobs()).of("patched").members == 2);
  CHECK(search(t, jobs()).of("over").state == "Succeeded");
  CHECK(search(t, jobs()).of("over").health.empty());
}

TEST_CASE("a found job has as many members as its workload asks for") {
  JobLoop t("admin-token");
  for (const auto& [name, members, source] : {std::tuple("early", 3, "JobSet early: 1 × 3"), std::tuple("tune", 2, "Job tune: 2"),
                                              std::tuple("serve", 2, "LeaderWorkerSet serve: 1 × 2")}) {
    INFO(name);
    const Finds finds = search(t, jobs());
    CHECK(finds.missing.empty());
    CHECK(finds.of(name).members == static_cast<std::size_t>(members));
    CHECK(finds.of(name).expected_source == source);
  }
  CHECK(search(t, jobs()).of("early").addresses.size() == 1);
  CHECK(search(t, jobs()).of("early").health == "NotReady");
  t.advance_to(600);
  CHECK(search(t, jobs()).of("early").addresses.size() == 3);
  CHECK(search(t, jobs()).of("early").health == "Ready");
}

TEST_CASE("where the workload may not be read, the number is said to be unknown") {
  JobLoop t;
  const Found early = search(t, jobs()).of("early");
  CHECK(early.members == 1);
  CHECK_THAT(early.expected_source, StartsWith("not known: "));
}

TEST_CASE("a job that is found can be resolved by its target") {
  JobLoop t;
  t.advance_to(60);
  for (const Found& found : search(t, jobs().filter("state=Running").filter("name!=patched")).found) {
    INFO(found.target);
    const auto resolver = make_resolver(t.runtime, found.target);
    REQUIRE(resolver);
    const auto spec = t.run((*resolver)->try_cluster_spec());
    REQUIRE(spec);
    ClusterSpec expected;
    expected.set_job("worker", found.addresses);
    CHECK(*spec == expected);
  }
}

TEST_CASE("namespaces and contexts of a search for jobs") {
  JobLoop t;
  CHECK(search(t, DiscoverOptions().namespaces({"eval"})).names() == "job trainer");
  CHECK(search(t, jobs().context("there")).of("trainer").target == "kubernetes:eval,job.worker=job-name=trainer,context=there");
  CHECK(search(t, DiscoverOptions().namespaces({".", "eval", "train", "eval"}).filter("name=trainer")).found.size() == 2);
  CHECK(search(t, DiscoverOptions().context("there")).names() == "job trainer");
  CHECK(search(t, DiscoverOptions().filter("kind=job").filter("name=t*")).names() == "job trainer, job tune");
  CHECK(search(t, DiscoverOptions().namespaces({".", "eval"}).filter("namespace=eval")).names() == "job trainer");
  CHECK(search(t, jobs().filter("type=Job")).names() == "job once, job over, job patched, job tune");
  const Finds refused = search(t, DiscoverOptions().namespaces({"-"}));
  REQUIRE(refused.missing.size() == 1);
  CHECK(refused.missing.front().code() == Errc::permission_denied);
  CHECK_THAT(refused.missing.front().message(), Contains("pods in all namespaces: ") && Contains("kind: ClusterRole"));
  JobLoop admin("admin-token");
  CHECK(search(admin, DiscoverOptions().namespaces({"-", "eval"})).found.size() == 9);
  CHECK(admin.cloud->total() == 13);  // one list, and each workload
  JobLoop one("admin-token");
  CHECK(search(one, jobs().filter("name=tune").filter("state=Running")).names() == "job tune");
  CHECK(one.cloud->total() == 2);  // the others are passed over without a question
}

TEST_CASE("a search for jobs and in projects: a failure of one does not end the other") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"]}]})");
  const Finds both = search(t, DiscoverOptions().projects({"example-proj"}).namespaces({"train"}).filter("kind=tpu+job"));
  CHECK(both.names() == "tpu trainer");
  REQUIRE(both.missing.size() == 1);
  CHECK(both.missing.front().code() == Errc::failed_precondition);
  CloudLoop no_project(R"({"metadata": false, "kubernetes": {"namespace": "train", "pods": [{"kind": "job", "name": "once"}]}})",
                       {{"KUBECONFIG", "/kube/config"}}, {{"/kube/config", kubeconfig("any")}});
  const Finds other = search(no_project, DiscoverOptions().kinds({FoundKind::tpu, FoundKind::job}).filter("name=once"));
  CHECK(other.names() == "job once");
  REQUIRE(other.missing.size() == 1);
  CHECK_THAT(other.missing.front().message(), Contains("project"));
  const Finds alone = search(t, jobs());
  CHECK(alone.found.empty());
  REQUIRE(alone.missing.size() == 1);
  CHECK_THAT(alone.missing.front().message(), Contains("no Kubernetes cluster is configured"));
  CHECK(t.cloud->total() == 1);
}

TEST_CASE("an invalid namespace is refused before any request") {
  JobLoop t;
  for (const std::string name : {"", "Bad", "a/b", "-a"}) {
    INFO(name);
    const Finds finds = search(t, DiscoverOptions().namespaces({name}));
    REQUIRE(finds.missing.size() == 1);
    CHECK(finds.missing.front().code() == Errc::invalid_argument);
    CHECK_THAT(finds.missing.front().hint(), Contains("'-' stands for all"));
  }
  const Finds own = search(t, jobs().context("odd"));
  REQUIRE(own.missing.size() == 1);
  check_failure(own.missing.front(), Errc::invalid_argument, "the namespace of context 'odd'", "'..' is not a namespace");
  CHECK(t.cloud->total() == 0);
}
