// PyTorch: torchrun's command line and the environment of env://. Source: torch.distributed.run, torch.distributed's "Environment
// variable initialization".
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
  return place;
}

// One agent for each task; it starts a process for each accelerator.
Result<EnvironmentVariables> torchrun_environment(const LaunchFacts& facts) {
  const Result<TorchPlace> place = torch_place(facts);
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("PET_NNODES", std::to_string(place->ranks.size()));
  variables.emplace_back("PET_NODE_RANK", std::to_string(place->own.rank));
  if (facts.accelerators_per_host) variables.emplace_back("PET_NPROC_PER_NODE", std::to_string(*facts.accelerators_per_host));
  variables.emplace_back("PET_MASTER_ADDR", place->master.host);
  variables.emplace_back("PET_MASTER_PORT", std::to_string(place->master.port.value_or(torch_port)));
  return variables;
}

Result<std::string> torchrun_line(const LaunchFacts& facts) {
  const Result<TorchPlace> place = torch_place(facts);
  if (!place) return place.error();
  std::string line = fmt::format("torchrun --nnodes={} --node-rank={}", place->ranks.size(), place->own.rank);
  if (facts.accelerators_per_host) line += fmt::format(" --nproc-per-node={}", *facts.accelerators_per_host);
  line += fmt::format(" --master-addr={} --master-port={}\n", shell_word(place->master.host), place->master.port.value_or(torch_port));
  return line;
}

Result<EnvironmentVariables> torch_environment(const LaunchFacts& facts) {
  const Result<TorchPlace> place = torch_place(facts);
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("MASTER_ADDR", place->master.host);
  variables.emplace_back("MASTER_PORT", std::to_string(place->master.port.value_or(torch_port)));
  variables.emplace_back("RANK", std::to_string(place->own.rank));
  variables.emplace_back("WORLD_SIZE", std::to_string(place->ranks.size()));
  variables.emplace_back("LOCAL_RANK", std::to_string(place->own.local_rank));
  variables.emplace_back("LOCAL_WORLD_SIZE", std::to_string(place->own.local_size));
  return variables;
}

constexpr std::string_view torchrun_names[] = {"PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_MASTER_ADDR", "PET_MASTER_PORT"};
constexpr std::string_view torch_names[] = {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};

}  // namespace

// clang-format off: a row a line
const FormatRow torchrun_row{.facts = {.format = LaunchFormat::torchrun, .help = "torchrun's command line; as environment PET_*", .has_environment = true, .uses_task = true, .needs_task = true, .uses_accelerators = true}, .text = torchrun_line, .environment = torchrun_environment, .variables = torchrun_names};
const FormatRow torch_env_row{.facts = {.format = LaunchFormat::torch_env, .help = "MASTER_ADDR, RANK, WORLD_SIZE, … for init_method env://", .has_environment = true, .uses_task = true, .needs_task = true}, .environment = torch_environment, .variables = torch_names};
// clang-format on

}  // namespace rollcall
