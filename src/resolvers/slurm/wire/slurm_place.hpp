// The records of partitions and reservations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/slurm/wire/slurm_object.hpp"

namespace rollcall {

class SlurmPartition {
 public:
  SlurmPartition() {}
  std::string name;
  std::vector<std::string> states;  ///< upper case: UP, DOWN, DRAIN, INACTIVE
  std::string nodes;                ///< a host list
  std::optional<int> max_minutes;   ///< absent: no limit
  std::optional<int> max_nodes;
  int total_nodes = 0;
};

class SlurmReservation {
 public:
  SlurmReservation() {}
  std::string name;
  std::string nodes;  ///< a host list
  std::vector<std::string> flags;
  std::optional<WallTime> start;
  std::optional<WallTime> end;
};

/// An element of the list `partitions` of an answer.
SlurmPartition read_slurm_partition(const SlurmObject& object);
/// An element of the list `reservations` of an answer.
SlurmReservation read_slurm_reservation(const SlurmObject& object);

}  // namespace rollcall
