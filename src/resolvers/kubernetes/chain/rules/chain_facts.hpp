// What was read beyond the pods of a cluster, to explain why they do not start.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "resolvers/kubernetes/chain/wire/kube_event.hpp"
#include "resolvers/kubernetes/chain/wire/largest_nodes.hpp"
#include "resolvers/kubernetes/chain/wire/node_facts.hpp"
#include "resolvers/kubernetes/chain/wire/queue_workload.hpp"
#include "resolvers/kubernetes/chain/wire/stuck_pod.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class ChainFacts {
 public:
  ChainFacts() {}
  WallTime at{};  ///< when it was read
  EventBook events;
  std::map<std::string, NodeFacts, std::less<>> nodes;  ///< by name
  /// The objects that ask for the pods: the pods' controllers and theirs, and those below them that failed to create pods.
  std::vector<KubeObject> owners;
  std::vector<KubeObject> absent_roots;  ///< what should make the pods, and is not there
  std::vector<Cause> stage_causes;  ///< why pods that have to end before there are members have not ended
  std::vector<StuckPod> pods;  ///< some of those that do not start
  std::vector<PodGroup> groups;  ///< that they, or what asks for them, are in
  std::optional<LargestNodes> largest;  ///< the nodes that have most; absent: not all nodes were read
  std::vector<VolumeClaim> claims;
  std::vector<FullQuota> quotas;
  bool has_events = false;   ///< events were read
  bool has_queues = false;   ///< Kueue's workloads were read
  bool is_kueue_absent = false;  ///< the server has no such kind
  std::vector<QueueWorkload> workloads;
  std::map<std::string, KubeCondition, std::less<>> queue_faults;  ///< by local queue
  std::vector<std::string> unread;  ///< the layers that could not be read, and why: `events may not be read: list events in …`
};

}  // namespace rollcall
