// Records as `scontrol -o show` prints them: `PartitionName=main State=UP MaxTime=00:05:00 …`, one on a line. Only for partitions and
// reservations of releases whose scontrol writes no JSON. [facts: slurm-programs]
#pragma once

#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/slurm/wire/slurm_place.hpp"

namespace rollcall {

/// Other lines, such as warnings, are skipped. Errors: malformed_response (a partition's limit), limit_exceeded.
Result<std::vector<SlurmPartition>> read_partition_lines(std::string_view text, const ParseLimits& limits = {});
/// The times are UTC: scontrol is run so. Errors: as above.
Result<std::vector<SlurmReservation>> read_reservation_lines(std::string_view text, const ParseLimits& limits = {});

}  // namespace rollcall
