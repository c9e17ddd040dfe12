// Every pair of witnesses that agree gives the answer of either; every contradiction is named.
#include <random>

#include "rollcall/own_task.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

using PairVariables = std::map<std::string, std::string, std::less<>>;

class RankWitness {
 public:
  const char* rank;
  const char* size;
  enum Kind { launcher, slurm, other } kind = other;
};

constexpr RankWitness rank_witnesses[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", RankWitness::launcher},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", RankWitness::launcher},
    {"PMI_RANK", "PMI_SIZE", RankWitness::launcher},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", RankWitness::launcher},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", RankWitness::slurm},
    {"LWS_WORKER_INDEX", "LWS_GROUP_SIZE"},
    {"SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES"},
    {"PET_NODE_RANK", "PET_NNODES"},
    {"GROUP_RANK", "GROUP_WORLD_SIZE"},
    {"RANK", "WORLD_SIZE"},
    {"NODE_RANK", "NNODES"},
    {"JAX_PROCESS_ID", "JAX_NUM_PROCESSES"},
    {"JOB_COMPLETION_INDEX", ""},
    {"TPU_WORKER_ID", ""},
};

void add_witness(PairVariables& variables, const RankWitness& witness, int rank, int size) {
  variables[witness.rank] = std::to_string(rank);
  if (witness.size[0] != '\0') variables[witness.size] = std::to_string(size);
  if (witness.kind == RankWitness::slurm) variables["SLURM_STEP_NODELIST"] = "n1";
}

ClusterSpec cluster_of(int tasks) {
  std::vector<std::string> addresses;
  for (int i = 0; i < tasks; ++i) addresses.push_back("w-" + std::to_string(i) + ":1");
  ClusterSpec spec;
  spec.set_job("worker", std::move(addresses));
  return spec;
}

}  // namespace

TEST_CASE("two witnesses that agree give the answer of either, and a contradiction names both") {
  std::mt19937 random(20261126);
  int pairs = 0;
  for (const RankWitness& a : rank_witnesses) {
    for (const RankWitness& b : rank_witnesses) {
      if (a.rank == b.rank) continue;
      ++pairs;
      CAPTURE(a.rank, b.rank);
      const int tasks = 2 + static_cast<int>(random() % 9);
      const int rank = static_cast<int>(random() % static_cast<unsigned>(tasks));
      const int other = (rank + 1 + static_cast<int>(random() % static_cast<unsigned>(tasks - 1))) % tasks;
      const ClusterSpec spec = cluster_of(tasks);
      PairVariables variables;
      add_witness(variables, a, rank, tasks);
      add_witness(variables, b, rank, tasks);
      const Result<OwnTask> agreed = find_own_task(spec, *fixed_environment(variables), OwnMachine());
      REQUIRE(agreed);
      CHECK(agreed->index == rank);
      add_witness(variables, b, other, tasks);
      const Result<OwnTask> disputed = find_own_task(spec, *fixed_environment(variables), OwnMachine());
      const bool is_a_launchers = a.kind == RankWitness::launcher && b.kind == RankWitness::slurm;
      const bool is_b_launchers = b.kind == RankWitness::launcher && a.kind == RankWitness::slurm;
      if (is_a_launchers || is_b_launchers) {  // the scheduler's numbers are those of the launcher's daemons
        REQUIRE(disputed);
        CHECK(disputed->index == (is_a_launchers ? rank : other));
        continue;
      }
      REQUIRE(disputed.has_error());
      CHECK(disputed.error().code() == Errc::conflict);
      CHECK_THAT(disputed.error().what(), Catch::Contains(a.rank) && Catch::Contains(b.rank));
      // The machine's own name settles nothing between two variables, and contradicts one that is wrong.
      OwnMachine machine;
      machine.names = {"w-" + std::to_string(other)};
      PairVariables one;
      add_witness(one, a, rank, tasks);
      const Result<OwnTask> elsewhere = find_own_task(spec, *fixed_environment(one), machine);
      REQUIRE(elsewhere.has_error());
      CHECK_THAT(elsewhere.error().what(), Catch::Contains(a.rank) && Catch::Contains(machine.names.front()));
    }
  }
  CHECK(pairs == 14 * 13);
}
