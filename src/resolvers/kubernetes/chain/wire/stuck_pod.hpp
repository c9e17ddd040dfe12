// What a pod that does not start asks for, beyond what its status says: its controller, claims, gang and scheduler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"
#include "resolvers/kubernetes/chain/wire/pod_group.hpp"

namespace rollcall {

/// All texts are printable and bounded.
class StuckPod {
 public:
  StuckPod() {}
  KubeObject object;
  std::string job;  ///< of the member that it is; set by what has asked for it
  std::string scheduler;               ///< spec.schedulerName
  std::string nominated_node;          ///< room is being made for it on this node
  std::vector<PodGroupName> groups;    ///< the PodGroups that it names
  std::vector<std::string> claims;     ///< persistent volume claims
  std::map<std::string, std::int64_t> requests;  ///< of all containers together, by resource: only extended resources
  std::vector<KubeCondition> conditions;
  friend bool operator==(const StuckPod&, const StuckPod&) = default;
};

/// Errors: malformed_response, limit_exceeded.
Result<StuckPod> parse_stuck_pod(std::string_view json, const ParseLimits& limits);

/// A PersistentVolumeClaim.
class VolumeClaim {
 public:
  VolumeClaim() {}
  KubeObject object;
  std::string phase;  ///< `Pending`, `Bound`, `Lost`
  std::string storage_class;
  bool is_bound() const { return phase == "Bound"; }
  friend bool operator==(const VolumeClaim&, const VolumeClaim&) = default;
};
Result<VolumeClaim> parse_volume_claim(std::string_view json, const ParseLimits& limits);

/// A resource of a ResourceQuota of which as much is used as there may be.
class FullQuota {
 public:
  FullQuota() {}
  std::string quota;     ///< its name
  std::string resource;  ///< `requests.nvidia.com/gpu`
  std::string used;
  std::string hard;
  friend bool operator==(const FullQuota&, const FullQuota&) = default;
};
/// Of a list of quotas, those of counted resources. Errors: as above.
Result<std::vector<FullQuota>> parse_full_quotas(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall
