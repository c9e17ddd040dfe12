// The GPUs of a Slurm step: of its tasks, of its nodes, and what is not known of other nodes. The variables are those of real steps.
#include "rollcall/slurm_resolver.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

namespace {

using GpuVariables = std::map<std::string, std::string, std::less<>>;

GpuVariables gpu_step(const std::string& nodes, const std::string& tasks, int total, int rank, int local, const GpuVariables& gpus) {
  GpuVariables variables = gpus;
  variables.emplace("SLURM_STEP_NODELIST", nodes);
  variables.emplace("SLURM_STEP_TASKS_PER_NODE", tasks);
  variables.emplace("SLURM_STEP_NUM_TASKS", std::to_string(total));
  variables.emplace("SLURM_PROCID", std::to_string(rank));
  variables.emplace("SLURM_LOCALID", std::to_string(local));
  return variables;
}

// `8` of a member's own, `8s` where the tasks of its host share them, `?` where they are not known.
std::string gpus_of(const GpuVariables& variables, const std::string& target = "slurm:order=rank") {
  TestRuntime t(variables);
  const auto status = t.run(make_resolver(t.runtime, target).value()->try_cluster_status());
  if (!status) return status.error().message();
  std::string text;
  for (const Member& member : status->members) {
    text += text.empty() ? "" : " ";
    text += member.accelerators ? std::to_string(member.accelerators->count) + (member.accelerators->is_shared ? "s" : "") : "?";
  }
  return text;
}

std::string gpus_of_task(const GpuVariables& variables) {
  TestRuntime t(variables);
  const Result<SlurmTask> task = make_slurm_resolver(t.runtime, SlurmOptions().order(SlurmOrder::rank))->task();
  if (!task) return task.error().message();
  std::string text;
  for (const int gpu : task->gpus) text += std::to_string(gpu) + ",";
  return text;
}

const GpuVariables eight = {{"SLURM_GPUS_ON_NODE", "8"}, {"CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7"}};

}  // namespace

TEST_CASE("tasks that see all GPUs of their node share them") {
  CHECK(gpus_of(gpu_step("n[1-2]", "1(x2)", 2, 0, 0, eight)) == "8s 8s");
  const GpuVariables two = gpu_step("n[1-2]", "2(x2)", 4, 1, 1, eight);
  CHECK(gpus_of(two) == "8s 8s 8s 8s");
  CHECK(gpus_of(two, "auto:") == "8s 8s 8s 8s");
  CHECK(gpus_of(two, "slurm:") == "8s 8s 8s 8s");
  CHECK(gpus_of_task(two) == "4,5,6,7,");
  CHECK(gpus_of_task(gpu_step("n[1-2]", "4(x2)", 8, 6, 2, eight)) == "4,5,");
  CHECK(gpus_of(gpu_step("n1", "2", 2, 0, 0, {{"SLURM_GPUS_ON_NODE", "2"}, {"SLURMD_TRES_BIND", "gpu:none"}})) == "2s 2s");
  CHECK(gpus_of(gpu_step("n1", "2", 2, 0, 0,
                         {{"SLURM_GPUS_ON_NODE", "2"}, {"CUDA_VISIBLE_DEVICES", "0,1"}, {"SLURM_TRES_BIND", "gres/gpu:none"}})) == "2s 2s");
  CHECK(gpus_of(gpu_step("n1", "2", 2, 0, 0, {{"SLURM_GPUS_ON_NODE", "2"}, {"ROCR_VISIBLE_DEVICES", "0,1"}})) == "2s 2s");
  // HIP's list counts within ROCr's.
  const auto hip = [](const char* rocr, const char* list) {
    return gpus_of(gpu_step("n1", "1", 1, 0, 0, {{"ROCR_VISIBLE_DEVICES", rocr}, {"HIP_VISIBLE_DEVICES", list}}));
  };
  CHECK(hip("4,5,6,7", "0,1") == "2s");
  CHECK(hip("4,5", "0,1,2,3") == "2s");
  CHECK(hip("4,5", "0,0") == "?");
  CHECK(hip("4,5", "-1") == "0s");
  CHECK(gpus_of(gpu_step("n1", "1", 1, 0, 0, {{"HIP_VISIBLE_DEVICES", "1,3"}})) == "2s");
}

TEST_CASE("a task that sees only its own GPUs counts them from 0") {
  const GpuVariables of_task = {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "2,3"}, {"SLURMD_TRES_BIND", "gpu:per_task:2"}};
  CHECK(gpus_of(gpu_step("n[3-4]", "2(x2)", 4, 1, 1, of_task)) == "2 2 2 2");
  CHECK(gpus_of_task(gpu_step("n[3-4]", "2(x2)", 4, 1, 1, of_task)) == "0,1,");
  CHECK(gpus_of(gpu_step("n[3-4]", "3,1", 4, 1, 1,
                         {{"SLURM_GPUS_ON_NODE", "3"}, {"CUDA_VISIBLE_DEVICES", "1"}, {"SLURMD_TRES_BIND", "gres/gpu:per_task:1"}})) ==
        "1 1 1 1");
  CHECK(gpus_of(gpu_step("n1", "4", 4, 3, 3,
                         {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "3"}, {"SLURMD_TRES_BIND", "gpu:single:1"}})) == "1 1 1 1");
  CHECK(gpus_of(gpu_step("n1", "4", 4, 3, 3,
                         {{"SLURM_GPUS_ON_NODE", "2"}, {"CUDA_VISIBLE_DEVICES", "1"}, {"SLURMD_TRES_BIND", "gpu:single:2"}})) == "1 1 1 1");
  // With lists for each task only the own is known.
  const GpuVariables map = {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "3"}, {"SLURMD_TRES_BIND", "gpu:map_gpu:2,3"}};
  CHECK(gpus_of(gpu_step("n1", "2", 2, 1, 1, map)) == "? 1");
  CHECK(gpus_of_task(gpu_step("n1", "2", 2, 1, 1, map)) == "0,");
  // The variable that says so is not always passed on.
  CHECK(gpus_of(gpu_step("n1", "2", 2, 1, 1, {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "2,3"}})) == "2 2");
  CHECK(gpus_of(gpu_step("n[1-2]", "2(x2)", 4, 1, 1, {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "2,3"}})) == "2 2 2 2");
  CHECK(gpus_of(gpu_step("n1", "2", 2, 1, 1, {{"CUDA_VISIBLE_DEVICES", "1"}})) == "? 1");
}

TEST_CASE("a task with an empty list of GPUs has none") {
  for (const char* list : {"", "NoDevFiles", "-1"}) {
    CAPTURE(list);
    const GpuVariables none = gpu_step("n1", "1", 1, 0, 0, {{"CUDA_VISIBLE_DEVICES", list}});
    CHECK(gpus_of(none) == "0s");
    CHECK(gpus_of_task(none).empty());
    TestRuntime t(none);
    CHECK(t.run(make_slurm_resolver(t.runtime)->num_accelerators()).to_json() == R"({"GPU":0})");
  }
  CHECK(gpus_of(gpu_step("n[1-2]", "2(x2)", 4, 0, 0, {{"SLURM_JOB_GPUS", "0,1,2,3,4,5,6,7"}})) == "0 0 0 0");  // --gres=none
  CHECK(gpus_of(gpu_step("n1", "1", 1, 0, 0, {})) == "?");
}

TEST_CASE("the list of visible devices ends where CUDA ends it") {
  const auto seen = [](const char* name, const char* list) {
    return gpus_of(gpu_step("n[1-2]", "1(x2)", 2, 0, 0, {{name, list}, {"SLURM_GPUS_ON_NODE", "8"}}));
  };
  for (const char* two : {"0,1", " 0, 1 ", "0,1,-1,2", "0,1,", "2,3,none", "GPU-1a,GPU-2b", "MIG-1,MIG-2"}) {
    CAPTURE(two);
    CHECK(gpus_of(gpu_step("n[1-2]", "1(x2)", 2, 0, 0, {{"CUDA_VISIBLE_DEVICES", two}})) == "2s 2s");
  }
  for (const char* none : {"none", "void", "all", ",0,1", "-1,0", "+1", "0-3"}) {
    CAPTURE(none);
    CHECK(gpus_of(gpu_step("n[1-2]", "1(x2)", 2, 0, 0, {{"CUDA_VISIBLE_DEVICES", none}})) == "0s 0s");
  }
  // A device twice, a part of a device, a list without end: the number on the node is not what this task sees.
  for (const char* unclear : {"0,0", "GPU-1a,GPU-1a", "0.0,0.1", "1,0,1"}) {
    CAPTURE(unclear);
    CHECK(seen("CUDA_VISIBLE_DEVICES", unclear) == "? ?");
    CHECK(seen("ZE_AFFINITY_MASK", unclear) == "? ?");
  }
  std::string many = "0";
  for (int i = 1; i < 30'000; ++i) many += "," + std::to_string(i);
  CHECK(seen("ROCR_VISIBLE_DEVICES", many.c_str()) == "? ?");
}

TEST_CASE("other nodes have as many GPUs, unless the variables say otherwise") {
  GpuVariables three = gpu_step("n[10-12]", "1(x3)", 3, 0, 0, eight);
  CHECK(gpus_of(three) == "8s 8s 8s");
  three.emplace("SLURM_GPUS", "14");  // 8, 4 and 2
  CHECK(gpus_of(three) == "8s ? ?");
  three["SLURM_GPUS"] = "24";
  CHECK(gpus_of(three) == "8s 8s 8s");
  three["SLURM_GPUS"] = "32";
  CHECK(gpus_of(three) == "8s ? ?");
  three["SLURM_JOB_NUM_NODES"] = "4";
  CHECK(gpus_of(three) == "8s 8s 8s");
  // As many as tasks, or as many on each node: with another number of tasks it is not known which.
  const GpuVariables uneven = gpu_step("n[1-2]", "3,1", 4, 3, 0, {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "0,1,2,3"}});
  CHECK(gpus_of(uneven) == "? ? ? 4s");
  GpuVariables per_node = uneven;
  per_node.emplace("SLURM_GPUS_PER_NODE", "h100:4");
  CHECK(gpus_of(per_node) == "4s 4s 4s 4s");
  GpuVariables per_task = gpu_step(
      "n[1-2]", "3,1", 4, 3, 0, {{"SLURM_GPUS_ON_NODE", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}, {"SLURM_TRES_PER_TASK", "cpu=2,gres/gpu=1"}});
  CHECK(gpus_of(per_task) == "3s 3s 3s 1s");
}

TEST_CASE("GPUs that the options give hold for all nodes") {
  const GpuVariables two = gpu_step("n[1-2]", "2(x2)", 4, 1, 1, eight);
  CHECK(gpus_of(two, "slurm:order=rank,gpus_per_node=6") == "6s 6s 6s 6s");
  CHECK(gpus_of(two, "slurm:order=rank,gpus_per_task=2") == "4s 4s 4s 4s");
  const GpuVariables of_task = {{"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "2,3"}, {"SLURMD_TRES_BIND", "gpu:per_task:2"}};
  CHECK(gpus_of(gpu_step("n[3-4]", "2(x2)", 4, 1, 1, of_task), "slurm:order=rank,gpus_per_task=2") == "2 2 2 2");
}

TEST_CASE("the nodes of an allocation have the GPUs of the batch script's node") {
  const GpuVariables batch = {
      {"SLURM_JOB_ID", "5"},        {"SLURM_PROCID", "0"},       {"SLURM_JOB_NODELIST", "n[1-3]"},   {"SLURMD_NODENAME", "n1"},
      {"SLURM_JOB_NUM_NODES", "3"}, {"SLURM_GPUS_ON_NODE", "4"}, {"CUDA_VISIBLE_DEVICES", "0,1,2,3"}};
  CHECK(gpus_of(batch) == "4s 4s 4s");
  GpuVariables uneven = batch;
  uneven.emplace("SLURM_GPUS", "6");
  CHECK(gpus_of(uneven) == "4s ? ?");
}
