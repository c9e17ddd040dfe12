// PyTorch: torchrun's command line and the environment of env://. Source: torch.distributed.run, torch.distributed's "Environment
// variable initialization" [facts: launch-torch].
#include <fmt/format.h>

#include "launch/format_row.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

constexpr std::uint16_t torch_port = 29500;

// What both forms tell: where this process stands, and where the first one listens.
class TorchPlace {
 public:
  std::vector<Rank> ranks;
  Rank own;
  Endpoint master;
  std::uint16_t port = torch_port;
  std::optional<int> processes;  // of one of torchrun's agents
};

Result<TorchPlace> torch_place(const LaunchFacts& facts) {
  TorchPlace place;
  Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return ranks.error();
  place.ranks = std::move(*ranks);
  Result<Rank> own = own_rank(place.ranks, facts);
  if (!own) return own.error();
  place.own = std::move(*own);
  Result<Endpoint> master = coordinator_of(place.ranks, facts, torch_port);
  if (!master) return master.error();
  place.master = std::move(*master);
  place.port = place.master.port.value_or(torch_port);
  return place;
}

// torchrun puts its port behind the text, and takes what is in front of the last colon, brackets or not; its help writes them.
std::string agents_master(const Endpoint& master) { return Endpoint(master.host, std::nullopt).to_text(); }

// One agent for each task.
Result<TorchPlace> agents_place(const LaunchFacts& facts) {
  Result<TorchPlace> place = torch_place(facts);
  if (!place) return place;
  const Result<std::optional<int>> processes = accelerators_of(place->own, facts);
  if (!processes) return processes.error();
  place->processes = *processes;
  return place;
}

// It starts a process for each accelerator. An id of the run is told where one was given: the store is the first
// agent's own, and ends with it, so that runs cannot meet in it.
Result<EnvironmentVariables> torchrun_environment(const LaunchFacts& facts) {
  const Result<TorchPlace> place = agents_place(facts);
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("PET_NNODES", std::to_string(place->ranks.size()));
  variables.emplace_back("PET_NODE_RANK", std::to_string(place->own.rank));
  if (place->processes) variables.emplace_back("PET_NPROC_PER_NODE", std::to_string(*place->processes));
  variables.emplace_back("PET_MASTER_ADDR", agents_master(place->master));
  variables.emplace_back("PET_MASTER_PORT", std::to_string(place->port));
  if (!facts.job_id.empty()) variables.emplace_back("PET_RDZV_ID", facts.job_id);
  return variables;
}

// Underscores: versions before 2.0 know no others.
Result<std::string> torchrun_line(const LaunchFacts& facts) {
  const Result<TorchPlace> place = agents_place(facts);
  if (!place) return place.error();
  std::string line = fmt::format("torchrun --nnodes={} --node_rank={}", place->ranks.size(), place->own.rank);
  if (place->processes) line += fmt::format(" --nproc_per_node={}", *place->processes);
  line += fmt::format(" --master_addr={} --master_port={}", shell_word(agents_master(place->master)), place->port);
  if (!facts.job_id.empty()) line += fmt::format(" --rdzv_id={}", shell_word(facts.job_id));
  return line + "\n";
}

// A process for each task. NODE_RANK is Lightning's and Composer's: the host, whose processes LOCAL_RANK counts; without it every host
// would be the first. GROUP_RANK is the same of torchrun, and read beside its other variables only.
Result<EnvironmentVariables> torch_environment(const LaunchFacts& facts) {
  const Result<TorchPlace> place = torch_place(facts);
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("MASTER_ADDR", place->master.host);
  variables.emplace_back("MASTER_PORT", std::to_string(place->port));
  variables.emplace_back("RANK", std::to_string(place->own.rank));
  variables.emplace_back("WORLD_SIZE", std::to_string(place->ranks.size()));
  variables.emplace_back("LOCAL_RANK", std::to_string(place->own.local_rank));
  variables.emplace_back("LOCAL_WORLD_SIZE", std::to_string(place->own.local_size));
  variables.emplace_back("NODE_RANK", std::to_string(place->own.host));
  return variables;
}

constexpr std::string_view torchrun_names[] = {"PET_NNODES",      "PET_NODE_RANK",   "PET_NPROC_PER_NODE",
                                               "PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_RDZV_ID"};
constexpr std::string_view torch_names[] = {"MASTER_ADDR", "MASTER_PORT",      "RANK",     "WORLD_SIZE",
                                            "LOCAL_RANK",  "LOCAL_WORLD_SIZE", "NODE_RANK"};

}  // namespace

// clang-format off: a row a line
const FormatRow torchrun_row{.facts = {.format = LaunchFormat::torchrun, .help = "torchrun's command line; as environment PET_*", .has_environment = true, .uses_task = true, .needs_task = true, .uses_accelerators = true}, .text = torchrun_line, .environment = torchrun_environment, .variables = torchrun_names};
const FormatRow torch_env_row{.facts = {.format = LaunchFormat::torch_env, .help = "MASTER_ADDR, RANK, WORLD_SIZE, … for init_method env://", .has_environment = true, .uses_task = true, .needs_task = true}, .environment = torch_environment, .variables = torch_names};
// clang-format on

}  // namespace rollcall
