// How a TPU node and its workers stand. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/tpu/wire/tpu_node.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// Of a state of the Cloud TPU API: `READY`, `CREATING`, … [facts: tpu-states]
Condition tpu_state_condition(std::string_view state, std::string_view health_description);
/// Of a health: `HEALTHY`, `TIMEOUT`, …; none counts as healthy [facts: tpu-health].
Condition tpu_health_condition(std::string_view health, std::string_view health_description);

class OomRules {
 public:
  OomRules() {}
  bool runtime_counts = true;  ///< OUT_OF_MEMORY
  bool hbm_counts = true;      ///< HBM_OUT_OF_MEMORY
};

/// False if the node is TERMINATED or PREEMPTED, or has a memory symptom less than 90 s old (one in the future is recent); a
/// symptom with an unreadable time is ignored. [facts: tpu-symptoms].
bool is_recoverable(const TpuNode& node, const OomRules& rules, WallTime now);

/// Who has the address of one before is waited for: a contradiction of the API that it may yet resolve.
void mark_twins(std::vector<Member>& members);

/// The workers of `node` as tasks of `job`: those with endpoints, and those that the accelerator type says are still to come. Two
/// workers with one address are both waited for. `name`: how the user calls the TPU.
ClusterStatus tpu_status(std::string_view name, const TpuNode& node, const std::string& job);

}  // namespace rollcall
