// Verdicts on a TPU's condition. Pure.
#pragma once

#include "resolvers/tpu/wire/tpu_node.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

class OomRules {
 public:
  OomRules() {}
  bool runtime_counts = true;  ///< OUT_OF_MEMORY
  bool hbm_counts = true;      ///< HBM_OUT_OF_MEMORY
};

/// False if the node is TERMINATED or PREEMPTED, or has a memory symptom less than 90 s old (one in the future is recent); a
/// symptom with an unreadable time is ignored [facts: tpu-symptoms].
bool is_recoverable(const TpuNode& node, const OomRules& rules, WallTime now);

}  // namespace rollcall
