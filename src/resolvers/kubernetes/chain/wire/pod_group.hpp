// A PodGroup: pods that a scheduler places together. Read of Volcano's, the scheduler plugins', and Kubernetes' own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {

/// A PodGroup by its name. A pod names its group, and by the way it does so the API group, too.
class PodGroupName {
 public:
  PodGroupName() {}
  PodGroupName(std::string of, std::string called) : api_group(std::move(of)), name(std::move(called)) {}
  std::string api_group;  ///< `scheduling.volcano.sh`
  std::string name;
  friend auto operator<=>(const PodGroupName&, const PodGroupName&) = default;
};

/// All texts are printable and bounded.
class PodGroup {
 public:
  PodGroup() {}
  KubeObject object;
  std::string phase;  ///< `Pending`, `Inqueue`, `Running`; of Kubernetes' own: empty
  std::string queue;  ///< Volcano's
  std::int64_t minimum = 0;
  std::vector<KubeCondition> conditions;
  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

/// Errors: malformed_response, limit_exceeded.
Result<PodGroup> parse_pod_group(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall
