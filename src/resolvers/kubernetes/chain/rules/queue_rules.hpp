// What a queue of Kueue says of a job that it holds. Pure.
#pragma once

#include <vector>

#include "resolvers/kubernetes/chain/wire/queue_workload.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Empty: the queue does not hold it. Reasons are by the words of any version: since some versions all have the reason `Pending`, the
/// message counts [facts: kueue-conditions].
std::vector<Cause> queue_causes(const QueueWorkload& workload);

}  // namespace rollcall
