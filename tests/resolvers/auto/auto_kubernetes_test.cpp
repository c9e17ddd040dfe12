// auto: in pods whose cluster only the Kubernetes API lists.
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/auto_resolver.hpp"
#include "support/spec_text.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;
using Catch::StartsWith;

namespace {

using PodTexts = std::map<std::string, std::string, std::less<>>;

class PodWorld : public TestRuntime {
 public:
  explicit PodWorld(PodTexts variables, bool has_account = true)
      : TestRuntime(in_pod(std::move(variables)), {}, static_token(Secret<std::string>("runtime-token")), account(has_account)) {}

  std::string ask(const std::string& target = "auto:") {
    resolver = make_resolver(runtime, target).value();
    return spec_text(run(resolver->try_cluster_spec()));
  }
  std::shared_ptr<ClusterResolver> resolver;

 private:
  static PodTexts in_pod(PodTexts variables) {
    variables["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    return variables;
  }
  static PodTexts account(bool is_there) {
    const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
    if (!is_there) return {};
    return {{folder + "token", "pod-token\n"}, {folder + "ca.crt", "CA PEM"}, {folder + "namespace", "train"}};
  }
};

std::string indexed_pod(const std::string& index) {
  std::string pod = pod_json("train-" + index + "-x", "10.0.0.1",
                             labels_json({{"job-name", "train"}, {"batch.kubernetes.io/job-completion-index", index}}));
  return pod.replace(pod.find("10.8.0.1"), 8, "10.8.0.1" + index);
}

}  // namespace

TEST_CASE("auto: in a pod of an Indexed Job asks for the job's pods") {
  PodWorld world({{"JOB_COMPLETION_INDEX", "1"}, {"HOSTNAME", "train-1"}});
  world.answer(200, list_json(indexed_pod("0") + "," + indexed_pod("1")));
  CHECK(world.ask() == R"({"worker":["10.8.0.10:8470","10.8.0.11:8470"]})");
  CHECK(world.resolver->task_id() == 1);
  CHECK(world.run(world.resolver->master()) == "grpc://10.8.0.11:8470");
  CHECK(query_of(world.transport->requests.at(0), "labelSelector") == "batch.kubernetes.io/job-name=train");
  CHECK(world.transport->requests.at(0).url.target.starts_with("/api/v1/namespaces/train/pods?"));
  CHECK(world.transport->requests.at(0).bearer.reveal() == "pod-token");
  CHECK(world.ask("auto:task=0,port=1,job=w") == R"({"w":["10.8.0.10:1","10.8.0.11:1"]})");
  CHECK(world.resolver->task_id() == 0);
}

TEST_CASE("auto: in a Job of a JobSet says which part of it the members are") {
  PodWorld world({{"JOB_COMPLETION_INDEX", "0"}, {"HOSTNAME", "s-w-1-0"}});
  world.answer(200, list_json(pod_json("s-w-1-0-x", "10.0.0.1",
                                       labels_json({{"jobset.sigs.k8s.io/jobset-name", "s"},
                                                    {"jobset.sigs.k8s.io/job-index", "1"},
                                                    {"jobset.sigs.k8s.io/replicatedjob-replicas", "2"},
                                                    {"job-name", "s-w-1"},
                                                    {"batch.kubernetes.io/job-completion-index", "0"}}))));
  const auto resolver = make_resolver(world.runtime, "auto:").value();
  const ClusterStatus status = world.run(resolver->cluster_status());
  REQUIRE(status.members.size() == 1);
  MemberPart part("job", 1, 2);
  part.name = "s-w-1";
  CHECK(status.members[0].part == part);
}

TEST_CASE("auto: in an Indexed Job does not guess an index") {
  PodWorld last({{"JOB_COMPLETION_INDEX", "2"}, {"HOSTNAME", "train-2"}});
  last.answer(200, list_json(indexed_pod("0") + "," + indexed_pod("1")));
  CHECK_THAT(last.ask(), StartsWith("invalid_argument: auto: JOB_COMPLETION_INDEX is 2, but the job train has 2 hosts; the candidates"));
  PodWorld gap({{"JOB_COMPLETION_INDEX", "2"}, {"HOSTNAME", "train-2"}});
  gap.answer(200, list_json(indexed_pod("0") + "," + indexed_pod("2")));
  CHECK_THAT(gap.ask(), StartsWith("not_ready: auto, here job (JOB_COMPLETION_INDEX is set): "));
  PodWorld none({{"JOB_COMPLETION_INDEX", "0"}, {"HOSTNAME", "train-0"}});
  none.answer(200, list_json(""));
  CHECK_THAT(none.ask(), StartsWith("not_ready: auto: the job train has no pods"));
  CHECK_FALSE(none.resolver->task_id());
}

TEST_CASE("auto: in a pod of Kubeflow Trainer the index of its Job and that of torchrun or JAX are one") {
  const PodTexts job = {
      {"JOB_COMPLETION_INDEX", "1"}, {"HOSTNAME", "train-1"}, {"PET_MASTER_ADDR", "train-node-0-0.train"}, {"PET_NNODES", "2"}};
  const auto ask_with = [&job](const char* name, const char* value, const char* nodes = "2") {
    PodTexts variables = job;
    variables[name] = value;
    variables["PET_NNODES"] = variables["JAX_NUM_PROCESSES"] = nodes;
    PodWorld world(std::move(variables));
    world.answer(200, list_json(indexed_pod("0") + "," + indexed_pod("1")));
    return world.ask();
  };
  const std::string pods = R"({"worker":["10.8.0.10:8470","10.8.0.11:8470"]})";
  for (const char* const name : {"PET_NODE_RANK", "JAX_PROCESS_ID"}) {
    CHECK(ask_with(name, "1") == pods);
    CHECK(ask_with(name, "") == pods);
    CHECK_THAT(ask_with(name, "0"),
               StartsWith(std::string("conflict: auto: JOB_COMPLETION_INDEX says 1, but ") + name + " says 0; the candidates"));
    CHECK_THAT(ask_with(name, "x"), StartsWith(std::string("invalid_argument: auto: ") + name + " is 'x', no worker id"));
    CHECK(ask_with(name, "0", "8") == pods);  // counts the pods of all Jobs
    CHECK_THAT(ask_with(name, "0", "x"), Contains(" is 'x', no number from 1 to "));
  }
}

TEST_CASE("auto: in a KubeRay pod asks for the cluster's pods") {
  PodWorld world({{"RAY_CLUSTER_NAME", "ray"}, {"TPU_SKIP_MDS_QUERY", "true"}});
  world.answer(200, list_json(pod_json("head", "10.0.0.1", labels_json({{"ray.io/cluster", "ray"}, {"ray.io/node-type", "head"}}))));
  CHECK(world.ask() == R"({"worker":["10.8.0.1:8470"]})");
  CHECK(query_of(world.transport->requests.at(0), "labelSelector") == "ray.io/cluster=ray");
  CHECK(world.run(world.resolver->try_cluster_status())->members.at(0).name == "train/head");
  CHECK(world.resolver->supports_watch());  // a union uses the pods' watch and does not poll
  CHECK_FALSE(world.resolver->task_id());  // no source gives the own index
  CHECK(world.run(world.resolver->master()).empty());
}

TEST_CASE("auto: in a pod without an account reports that, and probes the metadata server only shortly") {
  PodWorld world({{"RAY_CLUSTER_NAME", "ray"}}, false);
  world.answer(Failure(Errc::unreachable, "refused"));
  const std::string reported = world.ask();
  CHECK_THAT(reported, Contains("ray: RAY_CLUSTER_NAME is set, but the Kubernetes API cannot be asked: no configuration of a pod"));
  CHECK_THAT(reported, Contains("within 500 ms"));
  CHECK(world.transport->requests.size() == 1);
}
