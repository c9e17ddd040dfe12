// The variables that a program's environment has set, beside those of a form.
#include "launch/job_environment.hpp"
#include "launch/outside_ports.hpp"
#include "launch/random_cluster.hpp"

using namespace rollcall;

namespace {

using OutsideVariables = std::map<std::string, std::string, std::less<>>;

LaunchFacts two_hosts(int task = 1) { return facts_of_workers({"n1:8470", "n2:8470"}, task); }

std::vector<std::string> stale_names(LaunchFormat form, const LaunchFacts& facts, OutsideVariables outside) {
  const auto environment = fixed_environment(outside);
  std::vector<std::string> names;
  for (const std::string_view name : stale_variables(form, launch_environment(form, facts).value(), *environment)) {
    if (outside.contains(name)) names.emplace_back(name);
  }
  return names;
}

std::string port_of(LaunchFormat form, const OutsideVariables& outside, LaunchFacts facts = two_hosts()) {
  const Result<void> taken = take_outside_ports(facts, *fixed_environment(outside));
  if (!taken) return taken.error().message();
  return std::to_string(*launch_coordinator(form, facts).value().endpoint.port);
}

}  // namespace

TEST_CASE("a number of this host that a form does not know stays as it was set") {
  const OutsideVariables trainer = {{"PET_NNODES", "2"}, {"PET_NODE_RANK", "1"}, {"PET_NPROC_PER_NODE", "8"}, {"PET_RDZV_ID", "run"}};
  CHECK(stale_names(LaunchFormat::torchrun, two_hosts(), trainer).empty());
  OutsideVariables other = trainer;
  other["PET_NNODES"] = "4";
  CHECK(stale_names(LaunchFormat::torchrun, two_hosts(), other) == std::vector<std::string>{"PET_RDZV_ID"});
  LaunchFacts facts = two_hosts();
  facts.accelerators_per_host = 4;
  const EnvironmentVariables set = launch_environment(LaunchFormat::torchrun, facts).value();
  CHECK(std::find(set.begin(), set.end(), std::pair<std::string, std::string>("PET_NPROC_PER_NODE", "4")) != set.end());
}

TEST_CASE("devices of JAX stay unless they are another job's") {
  const OutsideVariables alone = {{"JAX_LOCAL_DEVICE_IDS", "0,1"}};
  CHECK(stale_names(LaunchFormat::jax, two_hosts(), alone).empty());
  OutsideVariables same = alone;
  same.insert({{"JAX_NUM_PROCESSES", "2"}, {"JAX_PROCESS_ID", "1"}});
  CHECK(stale_names(LaunchFormat::jax, two_hosts(), same).empty());
  for (const auto& [name, value] :
       OutsideVariables{{"JAX_NUM_PROCESSES", "8"}, {"JAX_PROCESS_ID", "0"}, {"JAX_COORDINATOR_ADDRESS", "x:1"}}) {
    OutsideVariables other = alone;
    other[name] = value;
    CHECK(stale_names(LaunchFormat::jax, two_hosts(), other) == std::vector<std::string>{"JAX_LOCAL_DEVICE_IDS"});
  }
}

TEST_CASE("ranks and sizes of another job do not stay") {
  const OutsideVariables agent = {{"RANK", "9"}, {"WORLD_SIZE", "16"}, {"GROUP_RANK", "1"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  CHECK(stale_names(LaunchFormat::torch_env, two_hosts(), agent) == std::vector<std::string>{"GROUP_RANK", "TORCHELASTIC_USE_AGENT_STORE"});
  const OutsideVariables outer = {{"ROLLCALL_TASK_INDEX", "7"}, {"ROLLCALL_JOB_NAME", "worker"}, {"ROLLCALL_ADDRESS", "x:1"}};
  LaunchFacts facts = two_hosts();
  facts.task.reset();
  CHECK(stale_names(LaunchFormat::env, facts, outer) ==
        std::vector<std::string>{"ROLLCALL_JOB_NAME", "ROLLCALL_TASK_INDEX", "ROLLCALL_ADDRESS"});
  LaunchFacts xla = two_hosts(0);
  xla.accelerator_type = AcceleratorType::parse("v4-16").value();
  CHECK(stale_names(LaunchFormat::torch_xla, xla, {{"CLOUD_TPU_TASK_ID", "3"}, {"TPU_VISIBLE_CHIPS", "1"}}) ==
        std::vector<std::string>{"CLOUD_TPU_TASK_ID"});
  CHECK(stale_names(LaunchFormat::torch_xla, xla, {{"TPU_WORKER_HOSTNAMES", "m1"}, {"TPU_VISIBLE_CHIPS", "1"}}) ==
        std::vector<std::string>{"TPU_VISIBLE_CHIPS"});
  const OutsideVariables addresses = {{"TPU_PROCESS_ADDRESSES", "n1:8476,n2:8476"}, {"TPU_WORKER_HOSTNAMES", "n1,n2"}};
  CHECK(stale_names(LaunchFormat::pjrt, xla, addresses).empty());
  CHECK(stale_names(LaunchFormat::pjrt, xla, {{"TPU_PROCESS_ADDRESSES", "m1:8476"}, {"TPU_WORKER_HOSTNAMES", "m1"}}).size() == 1);
}

TEST_CASE("where another job meets is not where this one meets") {
  OutsideVariables elastic = {{"PET_RDZV_BACKEND", "c10d"}, {"PET_RDZV_ENDPOINT", "x:23456"}, {"PET_STANDALONE", "1"}};
  CHECK(stale_names(LaunchFormat::torchrun, two_hosts(), elastic).empty());  // of this job, for all that is known
  elastic["PET_NNODES"] = "2";
  CHECK(stale_names(LaunchFormat::torchrun, two_hosts(), elastic).empty());
  elastic["PET_MASTER_ADDR"] = "x";
  CHECK(stale_names(LaunchFormat::torchrun, two_hosts(), elastic) ==
        std::vector<std::string>{"PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_STANDALONE"});
  OutsideVariables bound = {{"JAX_COORDINATOR_BIND_ADDRESS", "[::]:1234"}, {"JAX_COORDINATOR_PORT", "1234"}};
  CHECK(stale_names(LaunchFormat::jax, two_hosts(), bound).empty());
  bound["JAX_COORDINATOR_ADDRESS"] = "x:1234";
  CHECK(stale_names(LaunchFormat::jax, two_hosts(), bound) ==
        std::vector<std::string>{"JAX_COORDINATOR_PORT", "JAX_COORDINATOR_BIND_ADDRESS"});
}

TEST_CASE("the port that a controller has set for the first host is used") {
  const OutsideVariables agents = {{"PET_MASTER_ADDR", "n1"}, {"PET_MASTER_PORT", "23456"}};
  const OutsideVariables processes = {{"MASTER_ADDR", "N1"}, {"MASTER_PORT", "2222"}};
  CHECK(port_of(LaunchFormat::torchrun, agents) == "23456");
  CHECK(port_of(LaunchFormat::torch_env, agents) == "23456");
  CHECK(port_of(LaunchFormat::torch_env, processes) == "2222");
  CHECK(port_of(LaunchFormat::torchrun, processes) == "2222");
  OutsideVariables both = agents;
  both.insert(processes.begin(), processes.end());
  CHECK(port_of(LaunchFormat::torchrun, both) == "23456");
  CHECK(port_of(LaunchFormat::torch_env, both) == "2222");
  CHECK(port_of(LaunchFormat::jax, both) == "8482");
  LaunchFacts xla = two_hosts();
  xla.accelerator_type = AcceleratorType::parse("v4-16").value();
  REQUIRE(take_outside_ports(xla, *fixed_environment(processes)));
  const EnvironmentVariables set = launch_environment(LaunchFormat::torch_xla, xla).value();
  CHECK(std::find(set.begin(), set.end(), std::pair<std::string, std::string>("MASTER_PORT", "2222")) != set.end());
  CHECK(port_of(LaunchFormat::jax, {{"JAX_COORDINATOR_ADDRESS", "n1:1234"}}) == "1234");
  CHECK(port_of(LaunchFormat::jax, {{"COORDINATOR_ADDRESS", "n1"}, {"COORDINATOR_PORT", "6666"}}) == "6666");  // a JAXJob's
  CHECK(port_of(LaunchFormat::torchrun, {{"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "23456"}}, two_hosts(0)) == "23456");
}

TEST_CASE("a port of another host, or none, is not used") {
  for (const OutsideVariables& outside :
       {OutsideVariables{{"PET_MASTER_ADDR", "n2"}, {"PET_MASTER_PORT", "23456"}},
        OutsideVariables{{"PET_MASTER_ADDR", "stale"}, {"PET_MASTER_PORT", "x"}},
        OutsideVariables{{"PET_MASTER_ADDR", "n1"}, {"PET_MASTER_PORT", "0"}}, OutsideVariables{{"PET_MASTER_ADDR", "n1"}},
        OutsideVariables{{"MASTER_PORT", "tcp://10.0.0.1:2222"}},
        OutsideVariables{{"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "23456"}}}) {
    CHECK(port_of(LaunchFormat::torchrun, outside) == "29500");
  }
  CHECK(port_of(LaunchFormat::torchrun, {{"PET_MASTER_ADDR", "n1"}, {"PET_MASTER_PORT", "70000"}}) ==
        "PET_MASTER_PORT is '70000', not a port");
  LaunchFacts given = two_hosts();
  given.coordinator_port = 1111;
  CHECK(port_of(LaunchFormat::torchrun, {{"PET_MASTER_ADDR", "n1"}, {"PET_MASTER_PORT", "23456"}}, given) == "1111");
  LaunchFacts own = two_hosts();
  own.port_rule = CoordinatorPort::task;
  CHECK(port_of(LaunchFormat::torchrun, {{"PET_MASTER_ADDR", "n1"}, {"PET_MASTER_PORT", "23456"}}, own) == "8470");
}

TEST_CASE("members of TF_CONFIG that are not written here are kept") {
  ClusterSpec spec;
  spec.set_job("worker", {"a:1", "b:1"});
  const std::string rendered = R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}})";
  const std::string outside =
      R"({"environment":"cloud","cluster":{"worker":{"0":"a:1","1":"b:1"}},"task":{"type":"worker","index":"1"},"model_dir":"gs://b","trial":{"id":1}})";
  CHECK(
      with_other_members(rendered, outside, spec) ==
      R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1},"environment":"cloud","model_dir":"gs://b","trial":{"id":1}})");
  for (const char* const other : {R"({"cluster":{"worker":["x:1"]},"environment":"cloud"})", R"({"environment":"cloud"})", "[]", "{", ""})
    CHECK(with_other_members(rendered, other, spec) == rendered);
  CHECK(with_other_members(rendered, R"({"cluster":{"worker":["a:1","b:1"]},"big":")" + std::string(130000, 'x') + R"("})", spec) ==
        rendered);
}

TEST_CASE("a task of a job that the cluster does not have is refused with the jobs there are") {
  LaunchFacts facts;
  facts.spec.set_job("chief", {"c:1"});
  facts.spec.set_job("worker_hosts", {"w:1"});
  facts.task.emplace("worker", 0);
  const char* const why = "this process is worker 0, and the cluster has no such job: its jobs are chief, worker_hosts";
  CHECK_THAT(reported(LaunchFormat::env, facts), Catch::StartsWith("not_found: ") && Catch::Contains(why));
  CHECK_THAT(reported(LaunchFormat::tf_config, facts), Catch::Contains(why));
  facts.task.emplace("Chief", 0);
  CHECK_THAT(reported(LaunchFormat::tf_config, facts), Catch::Contains("did you mean chief?"));
  facts.task.emplace("evaluator", 3);
  CHECK_THAT(reported(LaunchFormat::tf_config, facts), Catch::EndsWith("\"task\":{\"type\":\"evaluator\",\"index\":3}}\n"));
  facts.task.emplace("worker", 0);
  facts.spec = ClusterSpec();
  CHECK(reported(LaunchFormat::tf_config, facts) == "{\"cluster\":{},\"task\":{\"type\":\"worker\",\"index\":0}}\n");
  // A job that is not chosen is still one of the cluster.
  facts.spec.set_job("ps", {"p:1"});
  facts.spec.set_job("worker", {"w:1"});
  facts.task.emplace("ps", 0);
  facts.jobs.emplace_back("worker");
  CHECK_THAT(reported(LaunchFormat::tf_config, facts), Catch::Contains("\"type\":\"ps\""));
}
