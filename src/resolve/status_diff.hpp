// What is different between two looks at a cluster. Pure.
#pragma once

#include <vector>

#include "rollcall/watch.hpp"

namespace rollcall {

/// Members that left, joined and changed, in that order, and notices that are new.
std::vector<ClusterChange> status_diff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);

}  // namespace rollcall
