// The status of a TPU node and its workers. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/tpu/wire/tpu_node.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// The condition of a Cloud TPU API state: `READY`, `CREATING`, … [facts: tpu-states]
Condition tpu_state_condition(std::string_view state, std::string_view health_description);
/// The condition of a health: `HEALTHY`, `TIMEOUT`, …; an empty one counts as healthy [facts: tpu-health].
Condition tpu_health_condition(std::string_view health, std::string_view health_description);

class OomRules {
 public:
  OomRules() {}
  bool runtime_counts = true;  ///< OUT_OF_MEMORY
  bool hbm_counts = true;      ///< HBM_OUT_OF_MEMORY
};

/// False if the node is TERMINATED or PREEMPTED, or has a memory symptom less than 90 s old (one in the future counts as recent). A
/// symptom with an unreadable time is ignored [facts: tpu-symptoms].
bool is_recoverable(const TpuNode& node, const OomRules& rules, WallTime now);

/// A member with the address of an earlier member is waiting: the API contradicts itself, and may correct that later.
void mark_duplicate_addresses(std::vector<Member>& members);

/// The workers of `node` as tasks of `job`: those with endpoints, and those that are still missing by the accelerator type. Two
/// workers with one address are both waiting. `name`: the user's name of the TPU.
ClusterStatus tpu_status(std::string_view name, const TpuNode& node, const std::string& job);

}  // namespace rollcall
