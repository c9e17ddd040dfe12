// Lines of an older scontrol: partitions and reservations.
#include "resolvers/slurm/wire/slurm_pairs.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<SlurmPartition>> partitions = read_partition_lines(text);
  require_sane(partitions);
  if (partitions) {
    for (const SlurmPartition& partition : *partitions) require(!partition.name.empty() && partition.max_minutes.value_or(0) >= 0);
  }
  const Result<std::vector<SlurmReservation>> reservations = read_reservation_lines(text);
  require_sane(reservations);
  return 0;
}
