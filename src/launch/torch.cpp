// PyTorch: torchrun's command line and the environment of env://. Source: torch.distributed.run, torch.distributed's "Environment
// variable initialization".
#include <fmt/format.h>

#include "launch/format_row.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

// One agent for each task; it starts a process for each accelerator that is the task's.
Result<EnvironmentVariables> torchrun_environment(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, torch_port);
  if (!place) return place.error();
  const Result<std::optional<int>> processes = share_of(place->own, facts);
  if (!processes) return processes.error();
  EnvironmentVariables variables;
  variables.emplace_back("PET_NNODES", std::to_string(place->ranks.size()));
  variables.emplace_back("PET_NODE_RANK", std::to_string(place->own.rank));
  if (*processes) variables.emplace_back("PET_NPROC_PER_NODE", std::to_string(**processes));
  variables.emplace_back("PET_MASTER_ADDR", place->coordinator.host);
  variables.emplace_back("PET_MASTER_PORT", std::to_string(*place->coordinator.port));
  return variables;
}

Result<std::string> torchrun_line(const LaunchFacts& facts) {
  const Result<std::string> flags = torchrun_flags(facts);
  if (!flags) return flags;
  return "torchrun " + *flags + "\n";
}

Result<EnvironmentVariables> torch_environment(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, torch_port);
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("MASTER_ADDR", place->coordinator.host);
  variables.emplace_back("MASTER_PORT", std::to_string(*place->coordinator.port));
  variables.emplace_back("RANK", std::to_string(place->own.rank));
  variables.emplace_back("WORLD_SIZE", std::to_string(place->ranks.size()));
  variables.emplace_back("LOCAL_RANK", std::to_string(place->own.local_rank));
  variables.emplace_back("LOCAL_WORLD_SIZE", std::to_string(place->own.local_size));
  return variables;
}

constexpr std::string_view torchrun_names[] = {"PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_MASTER_ADDR", "PET_MASTER_PORT"};
constexpr std::string_view torch_names[] = {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};

}  // namespace

// With underscores, which torchrun took before it took hyphens as well. The master's address stands without brackets: torchrun appends
// the port and cuts it off at the last colon.
Result<std::string> torchrun_flags(const LaunchFacts& facts) {
  const Result<LaunchPlace> place = place_in(facts, torch_port);
  if (!place) return place.error();
  const Result<std::optional<int>> processes = share_of(place->own, facts);
  if (!processes) return processes.error();
  std::string flags = fmt::format("--nnodes={} --node_rank={}", place->ranks.size(), place->own.rank);
  if (*processes) flags += fmt::format(" --nproc_per_node={}", **processes);
  return flags + fmt::format(" --master_addr={} --master_port={}", shell_word(place->coordinator.host), *place->coordinator.port);
}

// clang-format off: a row a line
const FormatRow torchrun_row{.facts = {.format = LaunchFormat::torchrun, .help = "torchrun's command line; as environment PET_*", .has_environment = true, .uses_task = true, .needs_task = true, .uses_accelerators = true, .coordinator_port = torch_port}, .text = torchrun_line, .environment = torchrun_environment, .variables = torchrun_names};
const FormatRow torch_env_row{.facts = {.format = LaunchFormat::torch_env, .help = "MASTER_ADDR, RANK, WORLD_SIZE, … for init_method env://", .has_environment = true, .uses_task = true, .needs_task = true, .coordinator_port = torch_port}, .environment = torch_environment, .variables = torch_names};
// clang-format on

}  // namespace rollcall
