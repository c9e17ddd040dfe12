// The layers of one member's chain of causes, by the events and objects around its pod. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "resolvers/kubernetes/chain/rules/chain_facts.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall::chain_detail {

constexpr std::size_t max_causes = 8;  ///< of a member, or of a cluster

bool has_layer(const std::vector<Cause>& causes, CauseLayer layer);
/// Unless there is one of the same layer, code, text and object.
void add_cause(std::vector<Cause>& causes, Cause cause);
/// The outermost first; at most max_causes.
void put_in_order(std::vector<Cause>& causes);
/// The latest about an object, if it is no older; null: there is none.
const KubeEvent* latest_warning(const ChainFacts& facts, std::string_view uid, Duration within);

/// Volumes, the sandbox's network, and an image that is being pulled: the pod itself says only ContainerCreating.
void explain_start(Member& member, const ChainFacts& facts);
/// Why it has no node: its claims, what an autoscaler says, or that no scheduler looks at it.
void explain_place(Member& member, const ChainFacts& facts);
/// Of one without a node, what the groups say that it is placed with.
void explain_gang(Member& member, const ChainFacts& facts);
/// The words of a readiness probe; and the latest warning about a pod that gives no reason itself.
void explain_rest(Member& member, const ChainFacts& facts);

/// A pod could not be created; with what its quota says now.
Cause creation_cause(const KubeEvent& event, const std::vector<FullQuota>& quotas);

}  // namespace rollcall::chain_detail
