// auto: variables that give the first host and the number of hosts, as torchrun and Kubeflow do.
#include "resolvers/auto/auto_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;
using Catch::StartsWith;

namespace {

AutoVariables trainer(const std::string& nodes, const std::string& rank) {
  return {{"PET_NNODES", nodes},        {"PET_NPROC_PER_NODE", "8"},
          {"PET_NODE_RANK", rank},      {"PET_MASTER_ADDR", "train-node-0-0.train"},
          {"PET_MASTER_PORT", "29500"}, {"HOSTNAME", "train-node-0-" + rank}};
}

// Two pods of eight processes, of the training operator 1.9.
AutoVariables pytorch_job(const std::string& rank, const std::string& name) {
  return {{"MASTER_ADDR", "resnet-master-0"},
          {"MASTER_PORT", "23456"},
          {"PET_MASTER_ADDR", "resnet-master-0"},
          {"PET_MASTER_PORT", "23456"},
          {"WORLD_SIZE", "24"},
          {"RANK", rank},
          {"PET_NODE_RANK", rank},
          {"PET_NPROC_PER_NODE", "8"},
          {"PET_NNODES", "3"},
          {"HOSTNAME", name}};
}

AutoVariables jax_pod(const std::string& id) {
  return {{"JAX_COORDINATOR_ADDRESS", "fit-node-0-0.fit:29500"}, {"JAX_NUM_PROCESSES", "2"}, {"JAX_PROCESS_ID", id}};
}

AutoVariables with(AutoVariables variables, const AutoVariables& others) {
  for (const auto& [name, value] : others) variables[name] = value;
  return variables;
}

std::string reported(AutoVariables variables, const std::string& target = "auto:") {
  variables.emplace("TPU_SKIP_MDS_QUERY", "true");
  return auto_answer(std::move(variables), target);
}

constexpr const char* of_train = R"({"worker":["train-node-0-0.train:29500","train-node-0-1.train:29500"]})";

}  // namespace

TEST_CASE("auto: knows the names that Kubeflow's controllers give") {
  CHECK(reported(trainer("2", "1")) == std::string(of_train) + " 1");
  AutoVariables nameless = trainer("2:2", "0");
  nameless.erase("HOSTNAME");
  CHECK(reported(nameless) == std::string(of_train) + " 0");
  CHECK(reported(with(trainer("2", "0"), {{"PET_MASTER_ADDR", "train-node-0-0.train.ml.svc"}})) ==
        R"({"worker":["train-node-0-0.train.ml.svc:29500","train-node-0-1.train.ml.svc:29500"]} 0)");
  CHECK(reported(jax_pod("1")) == R"({"worker":["fit-node-0-0.fit:29500","fit-node-0-1.fit:29500"]} 1)");
  const std::string job = R"({"worker":["resnet-master-0:23456","resnet-worker-0:23456","resnet-worker-1:23456"]})";
  CHECK(reported(pytorch_job("0", "resnet-master-0")) == job + " 0");
  CHECK(reported(pytorch_job("2", "resnet-worker-1")) == job + " 2");
  // Version 1.6 of the operator set no PET_ variables, and ran one process per pod.
  CHECK(reported({{"MASTER_ADDR", "resnet-master-0"},
                  {"MASTER_PORT", "23456"},
                  {"WORLD_SIZE", "3"},
                  {"RANK", "1"},
                  {"HOSTNAME", "resnet-worker-0"}}) == job + " 1");
  // A torchrun worker in such a pod.
  CHECK(reported(with(pytorch_job("2", "resnet-worker-1"),
                      {{"RANK", "17"}, {"LOCAL_RANK", "1"}, {"GROUP_RANK", "2"}, {"GROUP_WORLD_SIZE", "3"}, {"LOCAL_WORLD_SIZE", "8"}})) ==
        job + " 2");
  CHECK(reported(trainer("2", "1"), "auto:from=torch,port=1,job=w,task=0") ==
        R"({"w":["train-node-0-0.train:1","train-node-0-1.train:1"]} 0)");
}

TEST_CASE("auto: knows the names of a JAXJob's pods") {
  const auto jax_job = [](const std::string& id, const std::string& name) {
    return AutoVariables{{"COORDINATOR_ADDRESS", "fit-worker-0"},
                         {"COORDINATOR_PORT", "6666"},
                         {"NUM_PROCESSES", "3"},
                         {"PROCESS_ID", id},
                         {"HOSTNAME", name}};
  };
  const std::string hosts = R"({"worker":["fit-worker-0:6666","fit-worker-1:6666","fit-worker-2:6666"]})";
  CHECK(reported(jax_job("0", "fit-worker-0")) == hosts + " 0");
  CHECK(reported(jax_job("2", "fit-worker-2")) == hosts + " 2");
  CHECK(reported(with(jax_job("1", "fit-worker-1"), {{"COORDINATOR_PORT", ""}})).starts_with(R"({"worker":["fit-worker-0:8470",)"));
  CHECK_THAT(reported(jax_job("1", "fit-worker-2")),
             StartsWith("conflict: auto: PROCESS_ID says worker 1, but this machine is 'fit-worker-2', which is worker 2; "));
  CHECK_THAT(reported(jax_job("1", "laptop")), Contains("HOSTNAME is 'laptop', none of the names that a JAXJob gives"));
  CHECK_THAT(reported(jax_job("3", "fit-worker-2")), StartsWith("invalid_argument: auto: PROCESS_ID is 3, but NUM_PROCESSES is 3"));
  CHECK_THAT(reported(with(jax_job("1", "fit-worker-1"), {{"COORDINATOR_PORT", "x"}})),
             StartsWith("invalid_argument: auto: COORDINATOR_PORT is 'x'"));
  // Other programs have such variables, too.
  CHECK_THAT(reported(with(jax_job("1", "fit-worker-1"), {{"COORDINATOR_ADDRESS", "10.0.0.1:1234"}})),
             StartsWith("failed_precondition: auto: only the first of 3 hosts is known: COORDINATOR_ADDRESS is '10.0.0.1'"));
  CHECK(reported(with(trainer("2", "1"), {{"PROCESS_ID", "4711"}})) == std::string(of_train) + " 1");
}

TEST_CASE("auto: says what is known of the nodes of an AWS Batch job") {
  AutoVariables node = {{"AWS_BATCH_JOB_NUM_NODES", "1"}, {"AWS_BATCH_JOB_NODE_INDEX", "0"}, {"AWS_BATCH_JOB_MAIN_NODE_INDEX", "0"}};
  CHECK(reported(node) == R"({"worker":["localhost:8470"]} 0)");
  node["AWS_BATCH_JOB_NUM_NODES"] = "4";
  CHECK_THAT(reported(node), StartsWith("failed_precondition: auto: the 4 nodes of this AWS Batch job are not known: "
                                        "AWS_BATCH_JOB_NUM_NODES is 4, AWS_BATCH_JOB_NODE_INDEX is 0, the main node, and Batch tells a "
                                        "node no address") &&
                                 Contains("simple:job.worker=HOST+HOST"));
  node["AWS_BATCH_JOB_NODE_INDEX"] = "2";
  node["AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS"] = "10.0.0.7";
  CHECK_THAT(reported(node),
             Contains("AWS_BATCH_JOB_NODE_INDEX is 2, the main node is 0, at '10.0.0.7', and Batch tells a node no other address"));
  node["AWS_BATCH_JOB_NODE_INDEX"] = "x";
  CHECK_THAT(reported(node), StartsWith("invalid_argument: auto: AWS_BATCH_JOB_NODE_INDEX is 'x'"));
}

TEST_CASE("auto: one node is a whole cluster") {
  CHECK(reported({{"PET_NNODES", "1"}}) == R"({"worker":["localhost:29500"]} 0)");
  CHECK(reported({{"PET_NNODES", "1:1"}, {"PET_NODE_RANK", "0"}, {"PET_MASTER_ADDR", "10.0.0.1"}}) == R"({"worker":["10.0.0.1:29500"]} 0)");
  // A worker of `torchrun --standalone`.
  CHECK(reported({{"MASTER_ADDR", "localhost"},
                  {"MASTER_PORT", "41234"},
                  {"RANK", "3"},
                  {"WORLD_SIZE", "4"},
                  {"LOCAL_RANK", "3"},
                  {"LOCAL_WORLD_SIZE", "4"},
                  {"GROUP_RANK", "0"},
                  {"GROUP_WORLD_SIZE", "1"}}) == R"({"worker":["localhost:41234"]} 0)");
  CHECK(reported({{"MASTER_ADDR", "fd00::1"}, {"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "4"}}) == R"({"worker":["[fd00::1]:29500"]} 0)");
  CHECK(reported({{"JAX_COORDINATOR_ADDRESS", "[fd00::1]:1"}, {"JAX_NUM_PROCESSES", "1"}}) == R"({"worker":["[fd00::1]:1"]} 0)");
  CHECK(reported({{"JAX_COORDINATOR_ADDRESS", "a"}, {"JAX_NUM_PROCESSES", "1"}}) == R"({"worker":["a:8470"]} 0)");
}

TEST_CASE("auto: reports that only the first of several hosts is known") {
  const auto expect = [](AutoVariables variables, const std::string& begins, const char* contains) {
    CHECK_THAT(reported(std::move(variables)), StartsWith("failed_precondition: auto: only the first of " + begins) && Contains(contains) &&
                                                   Contains("list the hosts (simple:job.worker=HOST+HOST, file:PATH)"));
  };
  const char* const no_rule = "and no rule that is known says what the others are called";
  expect({{"PET_NNODES", "4"}, {"PET_NODE_RANK", "1"}, {"PET_MASTER_ADDR", "10.0.0.1"}},
         "4 hosts is known: PET_MASTER_ADDR is '10.0.0.1', PET_NNODES is 4, ", no_rule);
  expect({{"MASTER_ADDR", "gpu-0"}, {"WORLD_SIZE", "16"}, {"LOCAL_WORLD_SIZE", "8"}, {"RANK", "9"}},
         "2 hosts is known: MASTER_ADDR is 'gpu-0', WORLD_SIZE by LOCAL_WORLD_SIZE is 2, ", no_rule);
  expect({{"MASTER_ADDR", "gpu-0"}, {"WORLD_SIZE", "16"}, {"NODE_RANK", "1"}, {"NNODES", "2"}},
         "2 hosts is known: MASTER_ADDR is 'gpu-0', NNODES is 2, ", no_rule);
  expect({{"MASTER_ADDR", "gpu-0"}, {"WORLD_SIZE", "16"}, {"NUM_NODES", "3"}},
         "16 hosts is known: MASTER_ADDR is 'gpu-0', WORLD_SIZE is 16, ", no_rule);
  expect({{"JAX_COORDINATOR_ADDRESS", "10.0.0.1:1234"}, {"JAX_NUM_PROCESSES", "2"}, {"JAX_PROCESS_ID", "1"}},
         "2 hosts is known: JAX_COORDINATOR_ADDRESS is '10.0.0.1', JAX_NUM_PROCESSES is 2, ", no_rule);
  expect(with(trainer("2:4", "0"), {}), "2 to 4 hosts is known: ", "their number is settled at the rendezvous");
  expect(with(trainer("2", "0"), {{"PET_MASTER_ADDR", "train-node-0-0.other"}}), "2 hosts", no_rule);
  expect(with(trainer("2", "0"), {{"PET_MASTER_ADDR", "train-node-1-0.train"}}), "2 hosts", no_rule);
  expect(with(trainer("2", "0"), {{"HOSTNAME", "laptop"}}), "2 hosts",
         "HOSTNAME is 'laptop', none of the names that Kubeflow Trainer gives");
  expect(pytorch_job("1", "gpu-1"), "3 hosts", "HOSTNAME is 'gpu-1', none of the names that a PyTorchJob gives");
  expect(pytorch_job("1", ""), "3 hosts", "HOSTNAME, which would show that a PyTorchJob named the hosts, is not set");
  // A place with the list of all hosts is preferred.
  AutoWorld on_vm(
      {{"MASTER_ADDR", "10.0.0.1"}, {"WORLD_SIZE", "4"}, {"RANK", "2"}},
      R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-32"}], "metadata": {"tpu_worker": {"node": "trainer", "worker": 2}}})");
  CHECK_THAT(auto_answer(on_vm), StartsWith(R"({"worker":["10.)") && Catch::EndsWith(" 2"));
  CHECK_THAT(reported({{"MASTER_ADDR", "a"}, {"WORLD_SIZE", "2"}}, "auto:from=jax"),
             StartsWith("failed_precondition: auto: found no cluster"));
  CHECK_THAT(reported({{"WORLD_SIZE", "2"}, {"MASTER_ADDR", ""}}),
             Contains("torch: WORLD_SIZE is set, but PET_MASTER_ADDR and MASTER_ADDR are empty; jax: "));
  CHECK_THAT(reported({{"MASTER_ADDR", "a"}}), Contains("torch: MASTER_ADDR is set, but PET_NNODES and WORLD_SIZE are not; "));
  CHECK_THAT(reported({{"JAX_COORDINATOR_ADDRESS", "a:1"}}),
             Contains("jax: JAX_COORDINATOR_ADDRESS is set, but JAX_NUM_PROCESSES is not; "));
}

TEST_CASE("auto: does not guess a node rank") {
  AutoVariables pod = trainer("2", "1");
  pod.erase("PET_NODE_RANK");
  CHECK(reported(pod) == std::string(of_train) + " 1");  // the pod's own name
  pod.erase("HOSTNAME");
  CHECK_THAT(reported(pod), StartsWith("failed_precondition: auto: no variable names this process's task") && Contains("auto:task=N"));
  CHECK_THAT(reported(with(trainer("2", "1"), {{"HOSTNAME", "train-node-0-0"}})),
             StartsWith("conflict: auto: PET_NODE_RANK says worker 1, but this machine is 'train-node-0-0', which is worker 0; ") &&
                 Contains("auto:task=N"));
  CHECK_THAT(reported(with(trainer("2", "1"), {{"GROUP_RANK", "0"}, {"GROUP_WORLD_SIZE", "2"}})),
             StartsWith("conflict: auto: PET_NODE_RANK says worker 1, but GROUP_RANK says worker 0; "));
  CHECK(reported(with(trainer("2", "1"), {{"HOSTNAME", "train-node-0-0"}}), "auto:task=1") == std::string(of_train) + " 1");
  CHECK_THAT(reported(trainer("2", "1"), "auto:task=2"),
             StartsWith("invalid_argument: auto: task is 2, but PET_MASTER_ADDR and PET_NNODES has 2"));
}

TEST_CASE("auto: invalid variables of launchers are named") {
  const auto expect = [](AutoVariables variables, const std::string& contains) {
    CHECK_THAT(reported(std::move(variables)), StartsWith("invalid_argument: auto: ") && Contains(contains));
  };
  const AutoVariables plain = {{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "1"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}};
  for (const char* const address :
       {"[::1]", "10.0.0.1:29500", " a", "a b", "$(x)", "-oProxyCommand", "h\xc3\xb6st", "a,b", "http://a", "a\nb"})
    expect(with(plain, {{"MASTER_ADDR", address}}), "MASTER_ADDR is '");
  for (const char* const number : {"-1", "1e9", "x", "\xd9\xa1", "+1", "$(x)"}) {
    CAPTURE(number);
    for (const char* const name : {"RANK", "WORLD_SIZE", "MASTER_PORT", "PET_NNODES", "LOCAL_WORLD_SIZE", "GROUP_RANK", "PET_NODE_RANK"})
      expect(with(plain, {{name, number}}), std::string(name) + " is '");
    for (const char* const name : {"JAX_PROCESS_ID", "JAX_NUM_PROCESSES"})
      expect(with(jax_pod("0"), {{name, number}}), std::string(name) + " is '");
  }
  for (const char* const number : {"0", "1000000000", "1:2:3"}) expect(with(plain, {{"PET_NNODES", number}}), "PET_NNODES is '");
  for (const char* const port : {"0", "65536"}) expect(with(plain, {{"MASTER_PORT", port}}), "MASTER_PORT is '");
  expect(with(plain, {{"RANK", "99"}}), "RANK is 99, but WORLD_SIZE is 2");
  expect(with(trainer("2", "2"), {}), "PET_NODE_RANK is 2, but PET_NNODES is 2");
  expect(with(plain, {{"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}}), "LOCAL_RANK is 2, but LOCAL_WORLD_SIZE is 2");
  expect(jax_pod("2"), "JAX_PROCESS_ID is 2, but JAX_NUM_PROCESSES is 2");
  for (const char* const address : {"a b:1", "-a:1", "a:99999", "$(x):1", ":1"})
    expect(with(jax_pod("0"), {{"JAX_COORDINATOR_ADDRESS", address}}), "JAX_COORDINATOR_ADDRESS is '");
  CHECK_THAT(reported(with(plain, {{"RANK", ""}})), StartsWith("failed_precondition: auto: only the first of 2 hosts"));
}
