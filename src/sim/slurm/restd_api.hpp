// slurmrestd: jobs, nodes, partitions and reservations, read-only. The forms of answers and errors are those of real ones, 22.05, 24.11 and
// 26.05, by TCP with a JSON Web Token.
#pragma once

#include <string>

#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// The file has a section `slurm`.
Reply answer_slurm(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

/// The error of a fault rule with that status, as slurmrestd writes it, or a proxy in front of it.
Reply slurm_scripted(const Context& context, const FaultRule& rule, const Route& route);

/// A token as `scontrol token` makes it, for the cluster's user, from `now` on.
std::string make_slurm_token(const SlurmClusterModel& cluster, WallTime now);

}  // namespace rollcall::sim
