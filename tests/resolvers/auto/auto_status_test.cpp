// auto: a status, as a wait requests it, also finds the own task.
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using StatusVariables = std::map<std::string, std::string, std::less<>>;

const StatusVariables step = {{"SLURM_JOB_ID", "7"},
                              {"SLURM_PROCID", "1"},
                              {"SLURM_STEP_NODELIST", "n[9-10]"},
                              {"SLURM_STEP_NUM_TASKS", "2"},
                              {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                              {"SLURM_STEP_NUM_NODES", "2"}};
const StatusVariables places[] = {
    {{"TF_CONFIG", R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}})"}},
    {{"SM_HOSTS", R"(["algo-1","algo-2"])"}, {"SM_CURRENT_HOST", "algo-2"}},
    {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}},
    step,
    {{"LWS_LEADER_ADDRESS", "lws-0.lws.default"}, {"LWS_GROUP_SIZE", "3"}, {"LWS_WORKER_INDEX", "1"}, {"HOSTNAME", "lws-0-1"}},
    {{"TPU_WORKER_HOSTNAMES", "w-0,w-1"}, {"TPU_WORKER_ID", "1"}, {"TPU_SKIP_MDS_QUERY", "true"}},
};

}  // namespace

TEST_CASE("auto: knows its task after a status, and after a wait") {
  for (const StatusVariables& variables : places) {
    TestRuntime t(variables);
    const auto asked = make_resolver(t.runtime, "auto:").value();
    CHECK(t.run(asked->try_cluster_status())->members.size() > 1);
    CHECK(asked->task_id() == 1);
    CHECK(asked->task_type() == "worker");
    const auto waited = make_resolver(t.runtime, "auto:").value();
    CHECK(t.run(try_wait_until_ready(waited, usually_ready)).has_value());
    CHECK(waited->task_id() == 1);
  }
}

TEST_CASE("auto: variables that contradict each other end a wait at once: they do not change") {
  TestRuntime t({{"TPU_WORKER_HOSTNAMES", "w-0,w-1"}, {"TPU_WORKER_ID", "1"}, {"HOSTNAME", "w-0"}, {"TPU_SKIP_MDS_QUERY", "true"}});
  const auto waited = make_resolver(t.runtime, "auto:").value();
  const SteadyTime begun = t.time->now();
  check_failure(t.run(try_wait_until_ready(waited, usually_ready)), Errc::failed_precondition,
                "TPU_WORKER_ID says 1, but HOSTNAME is 'w-0'");
  CHECK(t.time->now() == begun);
}

TEST_CASE("slurm: knows its task after a status") {
  TestRuntime t(step);
  const auto resolver = make_resolver(t.runtime, "slurm:").value();
  CHECK_FALSE(resolver->task_id());
  CHECK(t.run(resolver->try_cluster_status()).has_value());
  CHECK(resolver->task_id() == 1);
}

TEST_CASE("auto: in an Indexed Job an invalid index is reported") {
  StatusVariables variables = {
      {"JOB_COMPLETION_INDEX", "x"}, {"HOSTNAME", "train-x"}, {"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  TestRuntime t(std::move(variables), {}, static_token(Secret<std::string>("runtime-token")),
                {{folder + "token", "pod-token"}, {folder + "ca.crt", "CA PEM"}});
  const auto resolver = make_resolver(t.runtime, "auto:").value();
  CHECK_THROWS_WITH(resolver->task_id(), Catch::Contains("JOB_COMPLETION_INDEX is 'x'"));
}
