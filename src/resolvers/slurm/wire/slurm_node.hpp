// A node's record, in the forms of REST v0.0.36 to v0.0.45, of `scontrol show nodes --json`, and of `sinfo --json` of Slurm 22.05.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/slurm/wire/slurm_object.hpp"

namespace rollcall {

/// Texts are as Slurm has them, not made printable.
class SlurmNodeRecord {
 public:
  SlurmNodeRecord() {}
  std::string name;
  std::string address;  ///< what Slurm's daemons dial
  int port = 0;         ///< of slurmd
  std::vector<std::string> states;  ///< upper case: a base such as IDLE, and flags such as DRAIN
  std::vector<std::string> partitions;
  std::vector<std::string> features;
  std::string gres;
  std::string gres_used;
  int cpus = 0;
  std::int64_t memory = 0;  ///< MB
  std::string reason;       ///< outlives the state that it was given for
  std::string reason_by;
  std::optional<WallTime> reason_at;
  std::string reservation;

  bool is(std::string_view state) const;
};

/// An element of the list `nodes` of an answer.
SlurmNodeRecord read_slurm_node(const SlurmObject& object);

}  // namespace rollcall
