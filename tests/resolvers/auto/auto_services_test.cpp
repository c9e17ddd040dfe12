// auto: lists of hosts by Vertex AI, Volcano, SkyPilot and SageMaker's file.
#include "resolvers/auto/auto_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;
using Catch::StartsWith;

namespace {

AutoVariables vertex(const std::string& task, AutoVariables more = {}) {
  more["CLUSTER_SPEC"] = R"({"cluster":{"workerpool1":["b-0:2222","b-1:2222"],"workerpool0":["a-0:2222"]},"environment":"cloud",)" + task +
                         R"("open_ports":[3333]})";
  return more;
}

constexpr const char* second_of_pool_1 = R"("task":{"type":"workerpool1","index":1},)";

AutoVariables volcano(const std::string& host, const std::string& index, AutoVariables more = {}) {
  more.insert({{"VC_MASTER_HOSTS", "lm-master-0.lm"},
               {"VC_MASTER_NUM", "1"},
               {"VC_GPU_WORKER_HOSTS", "lm-gpu-worker-0.lm,lm-gpu-worker-1.lm"},
               {"VC_GPU_WORKER_NUM", "2"}});
  if (!index.empty()) more.insert({{"VC_TASK_INDEX", index}, {"VK_TASK_INDEX", index}});
  if (!host.empty()) more["HOSTNAME"] = host;
  return more;
}

AutoVariables skypilot(const std::string& nodes, const std::string& rank) {
  return {{"SKYPILOT_NODE_IPS", nodes}, {"SKYPILOT_NODE_RANK", rank}};
}

// The cluster, the task, or the error.
std::string place_of(AutoVariables variables, const std::string& target = "auto:", AutoVariables files = {}) {
  variables.emplace("TPU_SKIP_MDS_QUERY", "true");
  AutoWorld world(std::move(variables), R"({"metadata": false})", std::move(files));
  const auto resolver = world.resolver(target);
  const auto spec = world.run(resolver->try_cluster_spec());
  if (!spec) return spec_text(spec);
  return spec_text(spec) + " " + resolver->task_type().value_or("-") + " " + std::to_string(resolver->task_id().value_or(-1));
}

constexpr const char* pools = R"({"workerpool0":["a-0:2222"],"workerpool1":["b-0:2222","b-1:2222"]} )";
constexpr const char* tasks = R"({"master":["lm-master-0.lm:8470"],"gpu-worker":["lm-gpu-worker-0.lm:8470","lm-gpu-worker-1.lm:8470"]} )";
constexpr const char* nodes = R"({"worker":["10.0.0.3:8470","10.0.0.1:8470"]} )";

}  // namespace

TEST_CASE("auto: reads Vertex AI's worker pools in the order of their numbers") {
  CHECK(place_of(vertex(second_of_pool_1)) == std::string(pools) + "workerpool1 1");
  CHECK(place_of(vertex(R"("task":{"type":"workerpool0","index":0},)")) == std::string(pools) + "workerpool0 0");
  // The variables beside it name the first machine only.
  const AutoVariables machine = {{"MASTER_ADDR", "a-0"}, {"MASTER_PORT", "2222"}, {"WORLD_SIZE", "3"}, {"RANK", "2"}, {"HOSTNAME", "b-1"}};
  CHECK(place_of(vertex(second_of_pool_1, machine)) == std::string(pools) + "workerpool1 1");
  CHECK(place_of(vertex("", machine)) == std::string(pools) + "workerpool1 1");
  // Processes of torchrun are more than machines.
  CHECK(place_of(vertex(second_of_pool_1, {{"WORLD_SIZE", "24"}, {"RANK", "5"}})) == std::string(pools) + "workerpool1 1");
  CHECK(place_of(vertex(second_of_pool_1), "auto:from=vertex,task=0") == std::string(pools) + "workerpool1 0");
  AutoVariables many;
  many["CLUSTER_SPEC"] =
      R"({"cluster":{"workerpool10":["k:1"],"workerpool2":["c:1"],"workerpool0":["a:1"]},"task":{"type":"workerpool2","index":"0"}})";
  CHECK(place_of(many) == R"({"workerpool0":["a:1"],"workerpool2":["c:1"],"workerpool10":["k:1"]} workerpool2 0)");
}

TEST_CASE("auto: Vertex AI's job says which GPUs the machines of a pool have") {
  const auto members = [](const std::string& job) {
    AutoWorld world(vertex(std::string(second_of_pool_1) + R"("job":)" + job + ","));
    const auto resolver = world.resolver();
    const ClusterStatus status = world.run(resolver->cluster_status());
    std::string text;
    for (const Member& member : status.members) {
      const Accelerators none;
      const Accelerators& one = member.accelerators ? *member.accelerators : none;
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", one.count, one.model, one.is_shared ? " each" : "");
    }
    return text;
  };
  const std::string h100 =
      R"({"machineSpec":{"machineType":"a3-highgpu-8g","acceleratorType":"NVIDIA_H100_80GB","acceleratorCount":8},"replicaCount":"2"})";
  const std::string v100 = R"({"machine_spec":{"accelerator_type":"NVIDIA_TESLA_V100","accelerator_count":1},"replica_count":1})";
  CHECK(members(R"({"workerPoolSpecs":[)" + v100 + "," + h100 + "]}") == "1 V100 each, 8 H100 each, 8 H100 each");
  CHECK(members(R"("{\"worker_pool_specs\":[{\"machine_spec\":{\"accelerator_type\":\"NVIDIA_L4\",\"accelerator_count\":4}}]}")") ==
        "4 L4 each, 0 , 0 ");
  // Another number of machines, a TPU, a type alone, and what is no specification.
  CHECK(members(R"({"workerPoolSpecs":[)" + h100 + "," + v100 + "]}") == "0 , 0 , 0 ");
  CHECK(
      members(
          R"({"workerPoolSpecs":[{"machineSpec":{"acceleratorType":"TPU_V3","acceleratorCount":8}},{"machineSpec":{"machineType":"a3-highgpu-8g"}}]})") ==
      "0 , 0 , 0 ");
  for (const char* const job : {"null", "7", R"("x")", "[]", R"({"workerPoolSpecs":{}})", R"({"workerPoolSpecs":[1,null]})",
                                R"({"workerPoolSpecs":[{"machineSpec":{"acceleratorType":"NVIDIA_L4","acceleratorCount":-1}}]})"})
    CHECK(members(job) == "0 , 0 , 0 ");
  AutoWorld world(vertex(std::string(second_of_pool_1) + R"("job":{"workerPoolSpecs":[)" + v100 + "," + h100 + "]},"));
  const auto resolver = world.resolver();
  CHECK(world.run(resolver->try_num_accelerators("workerpool1", 0))->at("GPU") == 8);
  CHECK(world.run(resolver->try_num_accelerators()).error().code() == Errc::failed_precondition);
}

TEST_CASE("auto: what contradicts Vertex AI's worker pools is named") {
  CHECK_THAT(place_of(vertex(second_of_pool_1, {{"WORLD_SIZE", "3"}, {"RANK", "0"}})),
             StartsWith("conflict: ") && Contains("the task of CLUSTER_SPEC says workerpool1 1, but RANK says workerpool0 0"));
  CHECK_THAT(place_of(vertex(second_of_pool_1, {{"HOSTNAME", "b-0"}})), StartsWith("conflict: ") && Contains("HOSTNAME is 'b-0'"));
  CHECK_THAT(place_of(vertex(R"("task":{"type":"worker","index":0},)")),
             StartsWith("invalid_argument: ") && Contains("workerpool1 1 (b-1:2222)"));
  CHECK_THAT(place_of(vertex(R"("task":{"type":"workerpool0","index":1},)")), StartsWith("invalid_argument: "));
  CHECK_THAT(place_of(vertex("")), StartsWith("failed_precondition: ") && Contains("CLUSTER_SPEC has no task with a type and an index"));
  CHECK_THAT(place_of({{"CLUSTER_SPEC", R"({"cluster":{"workerpool0":[)"}}), StartsWith("invalid_argument: auto: CLUSTER_SPEC"));
  CHECK_THAT(place_of({{"CLUSTER_SPEC", R"({"cluster":{"workerpool0":["a b"]}})"}}),
             Contains("CLUSTER_SPEC: workerpool0: host 0 is 'a b', no host"));
  CHECK_THAT(place_of({{"CLUSTER_SPEC", R"({"cluster":{"workerpool0":["a:1"],"chief":["c:1"]}})"}}),
             Contains("'chief' is no name of a worker pool"));
  // Other programs have such a variable, too.
  for (const char* const other : {R"({"worker":["a:1"]})", "x", R"({"cluster":{"worker":["a:1"]}})"})
    CHECK_THAT(place_of({{"CLUSTER_SPEC", other}}), Contains("CLUSTER_SPEC is set, but names no workerpool0"));
}

TEST_CASE("auto: reads the tasks of a Volcano job") {
  CHECK(place_of(volcano("lm-gpu-worker-1", "1")) == std::string(tasks) + "gpu-worker 1");
  CHECK(place_of(volcano("lm-master-0", "0")) == std::string(tasks) + "master 0");
  CHECK(place_of(volcano("lm-gpu-worker-0.lm.ns.svc", "")) == std::string(tasks) + "gpu-worker 0");
  // There is one task with a second pod; the first of two tasks is known by the rank.
  CHECK(place_of(volcano("", "1")) == std::string(tasks) + "gpu-worker 1");
  CHECK(place_of(volcano("node-7", "0", {{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "lm-master-0.lm"}})) ==
        std::string(tasks) + "gpu-worker 0");
  CHECK(place_of({{"VC_WORKER_HOSTS", "w-0"}}) == R"({"worker":["w-0:8470"]} worker 0)");
  CHECK(place_of(volcano("lm-gpu-worker-1", "0"), "auto:task=1") == std::string(tasks) + "gpu-worker 1");
  CHECK(place_of(volcano("lm-gpu-worker-1", "1"), "auto:port=1,from=volcano").find("lm-master-0.lm:1\"") != std::string::npos);
}

TEST_CASE("auto: what is not known of a Volcano job, or contradicts, is named") {
  CHECK_THAT(place_of(volcano("", "0")),
             StartsWith("failed_precondition: ") && Contains("VC_TASK_INDEX counts within one of Volcano's tasks"));
  CHECK_THAT(place_of(volcano("lm-gpu-worker-0", "1")), StartsWith("conflict: ") && Contains("HOSTNAME is 'lm-gpu-worker-0'"));
  CHECK_THAT(place_of(volcano("lm-gpu-worker-1", "1", {{"RANK", "1"}, {"WORLD_SIZE", "3"}})),
             StartsWith("conflict: ") && Contains("RANK says gpu-worker 0"));
  CHECK_THAT(place_of(volcano("", "5")), StartsWith("invalid_argument: ") && Contains("VC_TASK_INDEX is 5, and no task has so many pods"));
  CHECK_THAT(place_of(volcano("", "x")), StartsWith("invalid_argument: ") && Contains("VC_TASK_INDEX is 'x'"));
  AutoVariables uneven = volcano("lm-master-0", "0");
  uneven["VC_GPU_WORKER_NUM"] = "3";
  CHECK_THAT(place_of(uneven), StartsWith("conflict: auto: VC_GPU_WORKER_NUM is 3, but VC_GPU_WORKER_HOSTS has 2 hosts"));
  CHECK_THAT(place_of({{"VC_WORKER_HOSTS", "a,,b"}}), StartsWith("invalid_argument: auto: VC_WORKER_HOSTS: element 1 is ''"));
  std::string many = "a";
  for (int i = 0; i < 70000; ++i) many += ",a";
  CHECK_THAT(place_of({{"VC_WORKER_HOSTS", many}}), StartsWith("limit_exceeded: "));
}

TEST_CASE("auto: reads SkyPilot's nodes in its order") {
  CHECK(place_of(skypilot("10.0.0.3\n10.0.0.1\n", "1")) == std::string(nodes) + "worker 1");
  const AutoVariables paddle = {{"PADDLE_TRAINER_ENDPOINTS", "10.0.0.3:6170,10.0.0.3:6171,10.0.0.1:6170"},
                                {"PADDLE_TRAINERS_NUM", "3"},
                                {"PADDLE_TRAINER_ID", "1"},
                                {"PADDLE_CURRENT_ENDPOINT", "10.0.0.3:6171"}};
  CHECK(place_of(paddle) == R"({"worker":["10.0.0.3:6170","10.0.0.3:6171","10.0.0.1:6170"]} worker 1)");
  AutoVariables other = paddle;
  other["PADDLE_CURRENT_ENDPOINT"] = "10.0.0.1:6170";
  CHECK_THAT(place_of(other), Catch::Contains("PADDLE_TRAINER_ID says 1, but PADDLE_CURRENT_ENDPOINT says 2"));
  other["PADDLE_CURRENT_ENDPOINT"] = "10.0.0.9:6170";
  CHECK_THAT(place_of(other), Catch::Contains("PADDLE_CURRENT_ENDPOINT is '10.0.0.9:6170', which PADDLE_TRAINER_ENDPOINTS does not list"));
  const AutoVariables dstack = {{"DSTACK_NODES_IPS", "10.0.0.3\n10.0.0.1"}, {"DSTACK_NODE_RANK", "1"}, {"DSTACK_NODES_NUM", "2"}};
  CHECK(place_of(dstack) == std::string(nodes) + "worker 1");
  AutoVariables of_three = dstack;
  of_three["DSTACK_NODES_NUM"] = "3";
  CHECK_THAT(place_of(of_three), StartsWith("conflict: auto: DSTACK_NODES_NUM is 3, but DSTACK_NODES_IPS lists 2"));
  CHECK(place_of({{"SKYPILOT_NODE_IPS", "10.0.0.3"}}) == R"({"worker":["10.0.0.3:8470"]} worker 0)");
  CHECK(place_of(skypilot("fd00::1\nnode-2", "0"), "auto:job=w,port=2") == R"({"w":["[fd00::1]:2","node-2:2"]} w 0)");
  AutoVariables gpus = skypilot("10.0.0.3\n10.0.0.1", "0");
  gpus.insert({{"SKYPILOT_NUM_NODES", "2"}, {"SKYPILOT_NUM_GPUS_PER_NODE", "8"}});
  AutoWorld world(gpus);
  const auto resolver = world.resolver();
  CHECK(world.run(resolver->try_num_accelerators())->at("GPU") == 8);
  const AutoVariables torch = {{"MASTER_ADDR", "10.0.0.3"}, {"WORLD_SIZE", "16"}, {"RANK", "9"}, {"LOCAL_WORLD_SIZE", "8"}};
  AutoVariables both = skypilot("10.0.0.3\n10.0.0.1", "1");
  both.insert(torch.begin(), torch.end());
  CHECK(place_of(both) == std::string(nodes) + "worker 1");
}

TEST_CASE("auto: what contradicts SkyPilot's nodes is named") {
  AutoVariables three = skypilot("10.0.0.3\n10.0.0.1", "1");
  three["SKYPILOT_NUM_NODES"] = "3";
  CHECK_THAT(place_of(three), StartsWith("conflict: auto: SKYPILOT_NUM_NODES is 3, but SKYPILOT_NODE_IPS lists 2"));
  CHECK_THAT(place_of(skypilot("10.0.0.3\n10.0.0.1", "2")), StartsWith("invalid_argument: auto: SKYPILOT_NODE_RANK is 2"));
  CHECK_THAT(place_of(skypilot("10.0.0.3\n10.0.0.1", "")), StartsWith("failed_precondition: "));
  CHECK_THAT(place_of(skypilot("10.0.0.3\n10.0.0.3", "1")), StartsWith("conflict: "));
  CHECK_THAT(place_of(skypilot("10.0.0.3\n10.0.0.1 x", "1")),
             StartsWith("invalid_argument: auto: SKYPILOT_NODE_IPS: line 2 is '10.0.0.1 x', no host"));
  CHECK_THAT(place_of(skypilot(" \n", "0")), Contains("SKYPILOT_NODE_IPS"));
  std::string many;
  for (int i = 0; i < 70000; ++i) many += "10.0.0.1\n";
  CHECK_THAT(place_of(skypilot(many, "0")), StartsWith("limit_exceeded: "));
}

TEST_CASE("auto: finds SageMaker's file where its variables are not set") {
  const std::string path = "/opt/ml/input/config/resourceconfig.json";
  const std::string file = R"({"current_host":"algo-2","hosts":["algo-1","algo-2"],"network_interface_name":"eth0"})";
  const std::string cluster = R"({"worker":["algo-1:2223","algo-2:2223"]} worker 1)";
  CHECK(place_of({}, "auto:", {{path, file}}) == cluster);
  CHECK(place_of({}, "sagemaker:", {{path, file}}) == cluster);
  CHECK(place_of({{"SM_HOSTS", R"(["a"])"}, {"SM_CURRENT_HOST", "a"}}, "auto:", {{path, file}}) == R"({"worker":["a:2223"]} worker 0)");
  CHECK_THAT(place_of({}, "auto:", {{path, "{"}}), StartsWith("invalid_argument: ") && Contains(path));
  CHECK_THAT(place_of({}, "sagemaker:"), Contains("SM_HOSTS is not set, and there is no " + path));
}
