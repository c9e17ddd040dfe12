#include "resolvers/tpu/tpu_condition.hpp"

#include "base/timestamp.hpp"

namespace rollcall {

bool is_recoverable(const TpuNode& node, const OomRules& rules, WallTime now) {
  if (node.state == "TERMINATED" || node.state == "PREEMPTED") return false;
  for (const TpuNode::Symptom& symptom : node.symptoms) {
    const bool counts =
        (symptom.type == "OUT_OF_MEMORY" && rules.runtime_counts) || (symptom.type == "HBM_OUT_OF_MEMORY" && rules.hbm_counts);
    if (!counts) continue;
    // Upstream cuts the fraction off.
    const std::optional<WallTime> created = parse_rfc3339(symptom.create_time);
    if (created && now - std::chrono::floor<std::chrono::seconds>(*created) < std::chrono::seconds(90)) return false;
  }
  return true;
}

}  // namespace rollcall
