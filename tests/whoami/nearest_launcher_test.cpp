// check_launcher(): a launcher within a scheduler's tasks.
#include <map>
#include <string>

#include "rollcall/own_task.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

using LauncherVariables = std::map<std::string, std::string, std::less<>>;

}  // namespace

TEST_CASE("a task that was found otherwise must be that of the nearest launcher") {
  ClusterSpec agents;
  agents.set_job("worker", {"n1:1", "n2:1"});
  const OwnTask second("worker", 1, "SLURM_PROCID=1");
  const auto checked = [&](LauncherVariables variables, const ClusterSpec& spec) {
    const Result<void> fine = check_launcher(*fixed_environment(std::move(variables)), second, spec);
    return fine ? std::string("agrees") : fine.error().what();
  };
  LauncherVariables worker = {
      {"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}, {"TORCHELASTIC_RUN_ID", "x"}};
  CHECK(checked(worker, agents) ==
        "this process is worker 1 of 2 (SLURM_PROCID=1), but torchrun started it as 5 of 8 (RANK=5, WORLD_SIZE=8, "
        "LOCAL_RANK=1, LOCAL_WORLD_SIZE=4)");
  // Without torchrun's mark the numbers may be left over from another job: those of this task are not.
  worker.erase("TORCHELASTIC_RUN_ID");
  CHECK_THAT(checked(worker, agents), Catch::Contains("but a launcher of torch started it as 5 of 8 (RANK=5, WORLD_SIZE=8"));
  CHECK(checked({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "3"}, {"LOCAL_WORLD_SIZE", "4"}}, agents) == "agrees");  // of task 0
  CHECK(checked({{"RANK", "5"}, {"WORLD_SIZE", "16"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}}, agents) == "agrees");
  CHECK(checked({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "4"}}, agents) == "agrees");
  CHECK(checked({{"RANK", "1"}, {"WORLD_SIZE", "8"}}, agents) == "agrees");  // a PyTorchJob's pod: its RANK counts pods
  // DeepSpeed says how many are on the machine, Azure ML does not.
  CHECK_THAT(checked({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_SIZE", "4"}, {"CROSS_RANK", "1"}}, agents),
             Catch::Contains("started it as 5 of 8 (RANK=5, WORLD_SIZE=8, LOCAL_RANK=1, LOCAL_SIZE=4)"));
  CHECK_THAT(checked({{"RANK", "6"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "2"}, {"NODE_RANK", "1"}}, agents),
             Catch::Contains("started it as 6 of 8"));
  CHECK(checked({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, agents) == "agrees");
  CHECK_THAT(checked({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, agents),
             Catch::Contains("Open MPI started it as 0 of 2"));
  CHECK_THAT(checked({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "6"}}, agents),
             Catch::Contains("Open MPI started it as 1 of 6"));
  CHECK(checked({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}, agents) == "agrees");  // one of its own in each task
  for (const auto& [prefix, launcher] :
       {std::pair("HOROVOD_", "Horovod"), std::pair("MV2_COMM_WORLD_", "MVAPICH2"), std::pair("MVP_COMM_WORLD_", "MVAPICH")}) {
    const std::string name = prefix;
    CHECK_THAT(checked({{name + "RANK", "3"}, {name + "SIZE", "4"}, {name + "LOCAL_RANK", "1"}, {name + "LOCAL_SIZE", "2"}}, agents),
               Catch::Contains(std::string(launcher) + " started it as 3 of 4"));
    CHECK_THAT(checked({{name + "RANK", "0"}, {name + "SIZE", "2"}}, agents),
               Catch::Contains(std::string(launcher) + " started it as 0 of 2"));
    CHECK(checked({{name + "RANK", "1"}, {name + "SIZE", "2"}}, agents) == "agrees");
  }
  // Ranks count over several jobs.
  agents.set_job("ps", {"n3:1"});
  CHECK(checked({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}}, agents) == "agrees");
}
