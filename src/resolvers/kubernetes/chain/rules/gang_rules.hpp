// Why a PodGroup does not start, by its own words. Pure.
#pragma once

#include <vector>

#include "resolvers/kubernetes/chain/wire/pod_group.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Empty: the group does not hold its pods up. Volcano leaves an old Unschedulable behind as True: a later Scheduled outweighs it
/// [facts: volcano-podgroups].
std::vector<Cause> gang_causes(const PodGroup& group);

}  // namespace rollcall
