// Members that are ready on a machine that is not well. Pure.
#pragma once

#include <vector>

#include "rollcall/wait_progress.hpp"

namespace rollcall {

/// Those of the status that are ready and have causes; why: the outermost of them.
std::vector<MissingMember> warned_members(const ClusterStatus& status);

}  // namespace rollcall
