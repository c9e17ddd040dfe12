// Whether slurmrestd and slurmctld take the token of a request.
#pragma once

#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// `missing`: slurmrestd itself refuses the request. `refused`: slurmctld refuses what is asked of it.
enum class RestdVerdict { accepted, missing, refused };
RestdVerdict judge_slurm_token(const Context& context, const Request& request);

}  // namespace rollcall::sim
