// Whether a node is well, by what Kubernetes, its add-ons and clouds say of it. Pure.
#pragma once

#include <vector>

#include "resolvers/kubernetes/chain/wire/node_facts.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class NodeVerdict {
 public:
  NodeVerdict() {}
  std::vector<Cause> causes;  ///< what is wrong with it, the worst first; empty: it is well
  bool is_down = false;       ///< its kubelet does not say that it is ready: no pod on it is
};

/// A condition is bad if its type is known to be, or sounds like a fault, and it is True; or sounds like health, and is False. Other
/// conditions mean nothing here, since any program may set some [facts: k8s-node-signs].
NodeVerdict judge_node(const NodeFacts& node);

}  // namespace rollcall
