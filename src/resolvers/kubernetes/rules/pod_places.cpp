#include "resolvers/kubernetes/rules/pod_places.hpp"

#include <limits>

namespace rollcall {

std::optional<int> PodPlaces::of(const FoundPod& pod) const {
  if (pod.position.convention == PodConvention::none) return std::nullopt;
  for (const PodPlaceRun& run : runs_) {
    if (!run.role.empty() && !pod.position.role.empty() && run.role != pod.position.role) continue;
    const int member = pod.position.index[1] - run.first;
    const int part = run.is_one_part ? 0 : pod.position.part;
    if (part < 0 || part >= run.parts || member < 0 || member >= run.members) return std::nullopt;
    const std::int64_t place = run.base + static_cast<std::int64_t>(part) * run.members + member;
    if (place > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(place);
  }
  return std::nullopt;
}

}  // namespace rollcall
