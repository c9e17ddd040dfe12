// The witnesses: a row for each launcher, scheduler, controller or service, with the variables in which it numbers its processes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.hpp"
#include "rollcall/whoami.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {
namespace {

constexpr int highest_index = std::numeric_limits<int>::max();

class Witness {
 public:
  std::string_view name;
  std::string_view rank;
  std::string_view size = {};
  std::string_view other_size = {};  // read if `size` is not set
  TestimonyScope scope = TestimonyScope::processes;
  std::string_view local_rank = {};
  std::string_view local_size = {};
  bool is_launcher = false;
  std::string_view other_local_size = {};  // read if `local_size` is not set
  std::string_view beside = {};            // where this is not set, the rank's name is another program's
};

using enum TestimonyScope;

// clang-format off: a row a line. Sources: docs/facts.md, own-index-variables
constexpr Witness witness_rows[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "", processes, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", true},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "", processes, "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", true},
    {"MVAPICH", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "", processes, "MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE", true},
    {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "", processes, "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE", true},
    {"Hydra", "PMI_RANK", "PMI_SIZE", "", processes, "MPI_LOCALRANKID", "MPI_LOCALNRANKS", true},
    {"PALS", "PALS_RANKID", "PALS_SIZE", "PMI_SIZE", processes, "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", true},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "", processes, "FLUX_TASK_LOCAL_ID", "", true},
    {"ALPS", "ALPS_APP_PE"},
    {"Horovod", "HOROVOD_RANK", "HOROVOD_SIZE", "", processes, "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE", true},
    {"Paddle", "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "", processes, "PADDLE_LOCAL_RANK", "PADDLE_LOCAL_SIZE", true},
    {"the TPU", "TPU_WORKER_ID", "", "", part},
    {"the Indexed Job", "JOB_COMPLETION_INDEX", "", "", part},
    {"the LeaderWorkerSet", "LWS_WORKER_INDEX", "LWS_GROUP_SIZE", "", part},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", processes, "SLURM_LOCALID"},
    {"Slurm", "SLURM_NODEID", "SLURM_STEP_NUM_NODES", "SLURM_NNODES", machines},
    {"SkyPilot", "SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES", "", machines},
    {"dstack", "DSTACK_NODE_RANK", "DSTACK_NODES_NUM", "", machines},
    {"AWS Batch", "AWS_BATCH_JOB_NODE_INDEX", "AWS_BATCH_JOB_NUM_NODES", "", machines},
    {"Kubeflow Trainer or torchrun", "PET_NODE_RANK", "PET_NNODES", "", machines},
    {"torchrun", "GROUP_RANK", "GROUP_WORLD_SIZE", "", machines},
    {"torch", "RANK", "WORLD_SIZE", "", processes, "LOCAL_RANK", "LOCAL_WORLD_SIZE", false, "LOCAL_SIZE"},
    {"Lightning", "NODE_RANK", "NNODES", "", machines},
    {"JAX", "JAX_PROCESS_ID", "JAX_NUM_PROCESSES"},
    {"a JAXJob", "PROCESS_ID", "NUM_PROCESSES", "", processes, "", "", false, "", "COORDINATOR_ADDRESS"},
};
// clang-format on

// PMI's variables in a Slurm step are those of Slurm's own PMI, with Slurm's numbers.
bool is_slurms_pmi(const Witness& witness, const Environment& environment) {
  const auto same = [&environment](std::string_view a, std::string_view b) {
    const std::string value = environment.get(a).value_or("");
    return !value.empty() && value == environment.get(b).value_or("");
  };
  return witness.rank == "PMI_RANK" && same("PMI_RANK", "SLURM_PROCID") && same("PMI_SIZE", "SLURM_STEP_NUM_TASKS");
}

void read_local(const Environment& environment, std::string_view name, std::optional<int>& value, Testimony& said) {
  if (name.empty() || !said.fault.empty()) return;
  const Result<std::optional<int>> number = number_variable(environment, name, 0, max_declared_count);
  if (!number) {
    said.fault = number.error().what();
    return;
  }
  value = *number;
  if (value) said.evidence += fmt::format(", {}={}", name, *value);
}

std::optional<Testimony> hear(const Witness& witness, const Environment& environment) {
  if (!witness.beside.empty() && !is_set(environment, witness.beside)) return std::nullopt;
  Testimony said;
  said.witness = witness.name;
  said.scope = witness.scope;
  said.is_launcher = witness.is_launcher && !is_slurms_pmi(witness, environment);
  said.rank_name = witness.rank;
  const Result<std::optional<int>> rank = number_variable(environment, witness.rank, 0, highest_index);
  if (!rank) {
    said.fault = rank.error().what();
    return said;
  }
  if (!*rank) return std::nullopt;
  said.rank = *rank;
  said.evidence = fmt::format("{}={}", witness.rank, **rank);
  const Result<std::optional<DeclaredCount>> count = count_variable(environment, {witness.size, witness.other_size}, max_declared_count);
  if (!count) {
    said.fault = count.error().what();
    return said;
  }
  if (*count) {
    said.size_name = (*count)->source;
    said.size = (*count)->low;
    said.max_size = (*count)->high;
    said.evidence +=
        fmt::format(", {}={}", said.size_name,
                    (*count)->is_fixed() ? std::to_string((*count)->high) : fmt::format("{}:{}", (*count)->low, (*count)->high));
    if (**rank >= (*count)->high)
      said.fault = fmt::format("{} is {}, but {} is {}", said.rank_name, **rank, said.size_name, (*count)->high);
  }
  read_local(environment, witness.local_rank, said.local_rank, said);
  read_local(environment, witness.local_size, said.local_size, said);
  if (!said.local_size) read_local(environment, witness.other_local_size, said.local_size, said);
  if (said.fault.empty() && said.local_rank && said.local_size && *said.local_rank >= *said.local_size)
    said.fault = fmt::format("{} is {}, but {} is {}", witness.local_rank, *said.local_rank, witness.local_size, *said.local_size);
  return said;
}

}  // namespace

std::string_view to_string(TestimonyScope scope) noexcept {
  constexpr std::array<std::string_view, 3> names = {"processes", "machines", "part"};
  return names[static_cast<std::size_t>(scope)];
}

std::vector<Testimony> hear_witnesses(const Environment& environment) {
  std::vector<Testimony> all;
  const std::string outside = why_outside_step(environment);
  for (const Witness& witness : witness_rows) {
    std::optional<Testimony> said = hear(witness, environment);
    if (!said) continue;
    if (said->fault.empty() && witness.name == "Slurm" && !outside.empty())
      said->ignored = fmt::format("{} is set, but {}", said->rank_name, outside);
    all.push_back(*std::move(said));
  }
  return all;
}

}  // namespace rollcall
