// Generic resources as Slurm writes them: `gpu:h100:8(S:0-1)` of a node, `gres:gpu:h100:8` and `gres/gpu=2` of a job.
// [facts: slurm-gres]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// `gpu`, `h100`, 8. The name of shares of GPUs is `shard` or `mps`.
class SlurmGres {
 public:
  SlurmGres() {}
  std::string name;
  std::string type;  ///< may be empty
  int count = 1;
  std::optional<int> shared;  ///< of shares: the GPUs that they are of, where those are listed: 1 for `shard:3(3/4,0/4)`
  friend bool operator==(const SlurmGres&, const SlurmGres&) = default;
};

/// The parts of a text; parts that are no generic resources, such as `cpu=4`, are left out.
std::vector<SlurmGres> parse_slurm_gres(std::string_view text);

/// How many of `name` (with `type`, unless that is empty) there are. Where `name` stands with and without types, as in
/// `gres/gpu=16,gres/gpu:h100=16`, the one without is the sum.
int count_slurm_gres(const std::vector<SlurmGres>& list, std::string_view name, std::string_view type = {});

/// True if a node with `has` can serve one that asks for `asked`.
bool holds_slurm_gres(const std::vector<SlurmGres>& has, const std::vector<SlurmGres>& asked);

/// The GPUs of the list, from `source`, or those that its shares are of; the model only if all are of one type. None: shares of GPUs
/// that are not listed.
std::optional<Accelerators> slurm_gpus_of(const std::vector<SlurmGres>& list, std::string source);

}  // namespace rollcall
