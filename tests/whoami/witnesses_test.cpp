// What each witness says, and what is wrong with it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "rollcall/whoami.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

using WitnessVariables = std::map<std::string, std::string, std::less<>>;

std::string said_by(WitnessVariables variables) {
  std::string all;
  for (const Testimony& said : hear_witnesses(*fixed_environment(std::move(variables)))) {
    all += all.empty() ? "" : "; ";
    all += std::string(said.witness) + " " + std::string(to_string(said.scope)) + ": ";
    all += !said.fault.empty() ? said.fault : said.ignored.empty() ? said.evidence : said.ignored;
  }
  return all;
}

}  // namespace

TEST_CASE("each witness gives its rank, its size and what they count") {
  CHECK(said_by({}).empty());
  CHECK(said_by({{"RANK", ""}, {"WORLD_SIZE", "4"}}).empty());
  CHECK(said_by({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}}) ==
        "torch processes: RANK=1, WORLD_SIZE=4, LOCAL_RANK=1, LOCAL_WORLD_SIZE=2");
  CHECK(said_by({{"PET_NODE_RANK", "1"}, {"PET_NNODES", "2:4"}}) ==
        "Kubeflow Trainer or torchrun machines: PET_NODE_RANK=1, PET_NNODES=2:4");
  CHECK(said_by({{"SKYPILOT_NODE_RANK", "1"}, {"SKYPILOT_NUM_NODES", "3"}}) ==
        "SkyPilot machines: SKYPILOT_NODE_RANK=1, SKYPILOT_NUM_NODES=3");
  CHECK(said_by({{"JSM_NAMESPACE_RANK", "2"}, {"JSM_NAMESPACE_SIZE", "4"}}) ==
        "jsrun processes: JSM_NAMESPACE_RANK=2, JSM_NAMESPACE_SIZE=4");
  CHECK(said_by({{"LWS_WORKER_INDEX", "1"}, {"LWS_GROUP_SIZE", "4"}}) == "the LeaderWorkerSet part: LWS_WORKER_INDEX=1, LWS_GROUP_SIZE=4");
}

TEST_CASE("launchers come before the schedulers that they run in") {
  const std::vector<Testimony> both = hear_witnesses(*fixed_environment({{"SLURM_PROCID", "0"},
                                                                         {"SLURM_STEP_NODELIST", "n1"},
                                                                         {"SLURM_STEP_NUM_TASKS", "1"},
                                                                         {"OMPI_COMM_WORLD_RANK", "1"},
                                                                         {"OMPI_COMM_WORLD_SIZE", "2"}}));
  REQUIRE(both.size() == 2);
  CHECK((both[0].is_launcher && !both[1].is_launcher));
  CHECK(both[0].rank == 1);
  CHECK(both[1].size == 1);
}

TEST_CASE("Slurm's scripts and shells have an allocation, not a rank") {
  const std::string script =
      "Slurm processes: SLURM_PROCID is set, but this is a batch script: an allocation, not a task; start it by srun";
  CHECK(said_by({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}}) == script);
  WitnessVariables step = {{"SLURM_JOB_ID", "7"},
                           {"SLURM_STEP_ID", "0"},
                           {"SLURM_STEP_NODELIST", "n[1-2]"},
                           {"SLURM_JOB_NODELIST", "n[1-2]"},
                           {"SLURM_PROCID", "1"},
                           {"SLURM_STEP_NUM_TASKS", "2"},
                           {"SLURM_NODEID", "1"},
                           {"SLURM_STEP_NUM_NODES", "2"}};
  CHECK(said_by(step) == "Slurm processes: SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=2; Slurm machines: SLURM_NODEID=1, SLURM_STEP_NUM_NODES=2");
  const auto with = [&step](std::initializer_list<std::pair<const char*, const char*>> changes) {
    WitnessVariables changed = step;
    for (const auto& [name, value] : changes) changed[name] = value;
    return said_by(std::move(changed));
  };
  // A shell of `srun --interactive` has the variables of a step, and so has a batch script with a step of its own number.
  const std::string shell = "this is an interactive shell: an allocation, not a task; start it by srun";
  for (const char* const id : {"4294967290", "-6"})
    CHECK(with({{"SLURM_STEP_ID", id}}) ==
          "Slurm processes: SLURM_PROCID is set, but " + shell + "; Slurm machines: SLURM_NODEID is set, but " + shell);
  CHECK_THAT(with({{"SLURM_STEP_ID", "4294967291"}}), Catch::Contains("this is a batch script: an allocation, not a task"));
  // The variables of a step that another process has inherited.
  CHECK_THAT(with({{"SLURM_JOB_NODELIST", "m[1-4]"}}),
             Catch::Contains("SLURM_PROCID is set, but slurm: the variables of a step are not those of this process"));
  CHECK_THAT(with({{"SLURMD_NODENAME", "m1"}}),
             Catch::Contains("SLURM_NODEID is set, but slurm: the variables of a step are not those of this process"));
}

TEST_CASE("wrong values are a fault of their witness alone") {
  CHECK(said_by({{"RANK", "x"}, {"JAX_PROCESS_ID", "1"}}) ==
        "torch processes: RANK is 'x', no number from 0 to 2147483647; JAX processes: JAX_PROCESS_ID=1");
  CHECK(said_by({{"RANK", "4"}, {"WORLD_SIZE", "4"}}) == "torch processes: RANK is 4, but WORLD_SIZE is 4");
  CHECK(said_by({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}}) ==
        "torch processes: LOCAL_RANK is 2, but LOCAL_WORLD_SIZE is 2");
  CHECK(said_by({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "1"}}) ==
        "Slurm processes: SLURM_PROCID is set, but this is no step: start it by srun");
  const std::string huge(1'000'000, '9');
  CHECK(said_by({{"RANK", huge}}).size() < 400);
}
