// The nodes of a Slurm step, their tasks, and how ranks are dealt out to them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/slurm_resolver.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall {

class SlurmNode {
 public:
  std::string host;
  int tasks = 0;
};

/// A variable of Slurm's. Errors: failed_precondition naming it when it is not set, invalid_argument unless 0 … `high`.
Result<int> slurm_number(const Environment& environment, std::string_view name, int high);

/// Each host once, sorted by name or as the options' order wants it. Errors: as SlurmResolver's.
Result<std::vector<SlurmNode>> slurm_nodes(const SlurmOptions& options, const Environment& environment);

/// The node of each rank. Errors: unimplemented for a distribution that cannot be followed.
Result<std::vector<std::size_t>> slurm_ranks(SlurmOrder order, const std::vector<SlurmNode>& nodes, const Environment& environment);

}  // namespace rollcall
