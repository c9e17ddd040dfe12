// The PodGroups of Volcano, of the scheduler plugins, and of Kubernetes itself: how many pods start together at least.
#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

namespace rollcall {

void read_pod_group(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  const bool is_native = workload.type->group == "scheduling.k8s.io";
  const std::optional<int> least = is_native ? spec.at("schedulingPolicy").at("gang").number("minCount") : spec.number("minMember");
  workload.minimum = least.value_or(0);
  WorkloadRole& role = workload.roles.emplace_back();
  role.members = workload.minimum;
  role.numbers = RoleNumbers::counted;
  // Only one of the three marks its pods by a label; pods of the others are listed and read [facts: k8s-pod-groups].
  if (workload.type->group != "scheduling.x-k8s.io") return;
  const std::vector<std::pair<std::string, std::string>> wanted = {{"scheduling.x-k8s.io/pod-group", workload.name}};
  role.selector = selector_of(wanted, object);
}

}  // namespace rollcall
