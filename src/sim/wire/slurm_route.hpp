// The paths of slurmrestd.
#pragma once

#include <span>
#include <string_view>

#include "sim/wire/route.hpp"

namespace rollcall::sim {

/// `/slurm/v0.0.42/job/7`: the version, the collection `job` and the item. False if the path is not slurmrestd's.
bool read_slurm_path(const ParsedTarget& target, Route& route);

std::span<const std::string_view> slurm_route_names();

}  // namespace rollcall::sim
