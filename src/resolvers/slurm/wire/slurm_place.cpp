#include "resolvers/slurm/wire/slurm_place.hpp"

namespace rollcall {
namespace {

std::optional<int> slurm_limit(const SlurmNumber& number) {
  constexpr std::int64_t most = 1'000'000'000;
  if (number.is_infinite || !number.value || *number.value < 0 || *number.value > most) return std::nullopt;
  return static_cast<int>(*number.value);
}

}  // namespace

// From v0.0.39 on limits and nodes are in objects of their own.
SlurmPartition read_slurm_partition(const SlurmObject& object) {
  SlurmPartition partition;
  partition.name = object.text("name");
  if (partition.name.empty()) object.complain("name", "is missing");
  if (!object.has("maximums")) {
    partition.states = object.upper_words("state");
    partition.nodes = object.text("nodes");
    partition.total_nodes = object.count("total_nodes");
    partition.max_minutes = slurm_limit(object.number("max_time_limit"));
    partition.max_nodes = slurm_limit(object.number("maximum_nodes_per_job"));
    return partition;
  }
  partition.states = object.inner("partition").upper_words("state");
  partition.nodes = object.inner("nodes").text("configured");
  partition.total_nodes = object.inner("nodes").count("total");
  const SlurmObject maximums = object.inner("maximums");
  partition.max_minutes = slurm_limit(maximums.number("time"));
  partition.max_nodes = slurm_limit(maximums.number("nodes"));
  return partition;
}

SlurmReservation read_slurm_reservation(const SlurmObject& object) {
  SlurmReservation reservation;
  reservation.name = object.text("name");
  if (reservation.name.empty()) object.complain("name", "is missing");
  reservation.nodes = object.text("node_list");
  reservation.flags = object.upper_words("flags");
  reservation.start = object.time("start_time");
  reservation.end = object.time("end_time");
  return reservation;
}

}  // namespace rollcall
