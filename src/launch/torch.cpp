// PyTorch: torchrun's command line and the environment of env://. Source: torch.distributed.run, torch.distributed's "Environment
// variable initialization" [facts: launch-torch].
#include <fmt/format.h>

#include "launch/format_row.hpp"
#include "launch/slots.hpp"

namespace rollcall {
namespace {

// torchrun appends its port to the text, and splits at the last colon, with or without brackets; its help shows brackets.
std::string agents_master(const Endpoint& master) { return Endpoint(master.host, std::nullopt).to_text(); }

// One agent for each task, which starts a process for each of the task's accelerators. An id of the run is passed only if it was given:
// without one, runs cannot meet in a store, since the store is the first agent's own and ends with it.
Result<EnvironmentVariables> torchrun_environment(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, usual_port_of(LaunchFormat::torchrun, facts));
  if (!place) return place.error();
  const Result<std::optional<int>> processes = accelerators_of(place->own, facts);
  if (!processes) return processes.error();
  EnvironmentVariables variables;
  variables.emplace_back("PET_NNODES", std::to_string(place->ranks.size()));
  variables.emplace_back("PET_NODE_RANK", std::to_string(place->own.rank));
  if (*processes) variables.emplace_back("PET_NPROC_PER_NODE", std::to_string(**processes));
  variables.emplace_back("PET_MASTER_ADDR", agents_master(place->coordinator));
  variables.emplace_back("PET_MASTER_PORT", std::to_string(*place->coordinator.port));
  if (!facts.job_id.empty()) variables.emplace_back("PET_RDZV_ID", facts.job_id);
  return variables;
}

Result<std::string> torchrun_line(const LaunchFacts& facts) {
  const Result<std::string> flags = torchrun_flags(facts);
  if (!flags) return flags;
  return "torchrun " + *flags + "\n";
}

// A process for each task. NODE_RANK is for Lightning and Composer: the index of the host on which LOCAL_RANK counts. Without it they
// would take every host for the first. torchrun's GROUP_RANK has the same meaning, but is read only together with its other variables.
Result<EnvironmentVariables> torch_environment(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, usual_port_of(LaunchFormat::torch_env, facts));
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("MASTER_ADDR", place->coordinator.host);
  variables.emplace_back("MASTER_PORT", std::to_string(*place->coordinator.port));
  variables.emplace_back("RANK", std::to_string(place->own.rank));
  variables.emplace_back("WORLD_SIZE", std::to_string(place->ranks.size()));
  variables.emplace_back("LOCAL_RANK", std::to_string(place->own.local_rank));
  variables.emplace_back("LOCAL_WORLD_SIZE", std::to_string(place->own.local_size));
  variables.emplace_back("NODE_RANK", std::to_string(place->own.host));
  return variables;
}

constexpr std::string_view torchrun_names[] = {"PET_NNODES",       "PET_NODE_RANK",     "PET_NPROC_PER_NODE",
                                               "PET_MASTER_ADDR",  "PET_MASTER_PORT",   "PET_RDZV_ID",
                                               "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_STANDALONE"};
constexpr std::string_view torchrun_left[] = {"PET_NPROC_PER_NODE"};  // torchrun starts one process without it
// With an endpoint torchrun takes no notice of the master's address, and with `standalone` of any other machine.
constexpr std::string_view torchrun_left_of_same_job[] = {"PET_RDZV_ID", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_STANDALONE"};
constexpr std::string_view torch_names[] = {
    "MASTER_ADDR",      "MASTER_PORT", "RANK",       "WORLD_SIZE",       "LOCAL_RANK",
    "LOCAL_WORLD_SIZE", "NODE_RANK",   "GROUP_RANK", "GROUP_WORLD_SIZE", "TORCHELASTIC_USE_AGENT_STORE"};
// An outer torchrun's: its nodes, and that its agent has opened the store.
constexpr std::string_view torch_left_of_same_job[] = {"GROUP_RANK", "GROUP_WORLD_SIZE", "TORCHELASTIC_USE_AGENT_STORE"};

}  // namespace

// With underscores, since versions before 2.0 accept no hyphens.
Result<std::string> torchrun_flags(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, usual_port_of(LaunchFormat::torchrun, facts));
  if (!place) return place.error();
  const Result<std::optional<int>> processes = accelerators_of(place->own, facts);
  if (!processes) return processes.error();
  std::string flags = fmt::format("--nnodes={} --node_rank={}", place->ranks.size(), place->own.rank);
  if (*processes) flags += fmt::format(" --nproc_per_node={}", **processes);
  flags += fmt::format(" --master_addr={} --master_port={}", shell_word(agents_master(place->coordinator)), *place->coordinator.port);
  if (!facts.job_id.empty()) flags += fmt::format(" --rdzv_id={}", shell_word(facts.job_id));
  return flags;
}

// clang-format off: a row a line
const FormatRow torchrun_row{.facts = {.format = LaunchFormat::torchrun, .help = "torchrun's command line; as environment PET_*", .has_environment = true, .uses_task = true, .needs_task = true, .uses_accelerators = true, .coordinator_port = torch_port}, .text = torchrun_line, .environment = torchrun_environment, .variables = torchrun_names, .left = torchrun_left, .left_of_same_job = torchrun_left_of_same_job};
const FormatRow torch_env_row{.facts = {.format = LaunchFormat::torch_env, .help = "MASTER_ADDR, RANK, WORLD_SIZE, … for init_method env://", .has_environment = true, .uses_task = true, .needs_task = true, .coordinator_port = torch_port}, .environment = torch_environment, .variables = torch_names, .left_of_same_job = torch_left_of_same_job};
// clang-format on

}  // namespace rollcall
