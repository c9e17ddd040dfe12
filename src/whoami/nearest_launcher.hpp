// The launcher that started this process, among what the environment says of it. Pure.
#pragma once

#include <vector>

#include "rollcall/whoami.hpp"

namespace rollcall {

/// The launcher nearest to the process, unless it counts fewer processes than `tasks`: then it has started something smaller. Null: none.
const Testimony* launcher_of(const std::vector<Testimony>& witnesses, int tasks);

/// Slurm's step, if it has more than `tasks` tasks. Null: it has not, or this process is of no step.
const Testimony* larger_step(const std::vector<Testimony>& witnesses, int tasks);

}  // namespace rollcall
