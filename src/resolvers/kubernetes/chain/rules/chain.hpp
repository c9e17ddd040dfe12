// Why the members of a cluster are not ready: what the pods say, put together with what everything around them says. Pure.
#pragma once

#include "resolvers/kubernetes/chain/rules/chain_facts.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Adds the causes that the facts know to the status: those of the whole cluster to its own, the others to the members'. Of a member that
/// is ready only what is wrong with its node is added; a node that is down makes it waiting. The outermost layer comes first. Applying the
/// same facts twice changes nothing.
void explain(ClusterStatus& status, const ChainFacts& facts);

}  // namespace rollcall
