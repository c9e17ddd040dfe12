// What this host is on, as far as its scheduler says it in the environment. Pure.
#pragma once

#include <string>

#include "rollcall/environment.hpp"

namespace rollcall {

/// `switch s1`, the last one before this node; `slice 2` of a multislice job. Empty: it is not said. Sources: Slurm's SLURM_TOPOLOGY_ADDR
/// and SLURM_TOPOLOGY_ADDR_PATTERN, such as `s0.s1.n7` and `switch.switch.node`; MEGASCALE_SLICE_ID.
std::string own_block(const Environment& environment);

}  // namespace rollcall
