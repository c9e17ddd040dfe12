// LeaderWorkerSet, StatefulSet, Deployment, ReplicaSet.
#include <fmt/format.h>

#include <algorithm>

#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

namespace rollcall {
namespace {

ObjectView::Labels template_labels(const ObjectView& of) { return of.at("metadata").labels("labels"); }

}  // namespace

void read_leader_worker_roles(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  const ObjectView group = spec.at("leaderWorkerTemplate");
  WorkloadRole& role = workload.roles.emplace_back();
  role.parts = spec.number("replicas").value_or(1);
  role.members = group.number("size").value_or(1);
  role.labels = template_labels(group.at("workerTemplate"));
  if (group.at("leaderTemplate").is_there()) {  // what both have
    const ObjectView::Labels leaders = template_labels(group.at("leaderTemplate"));
    std::erase_if(role.labels, [&leaders](const auto& label) { return std::find(leaders.begin(), leaders.end(), label) == leaders.end(); });
  }
  const std::vector<std::pair<std::string, std::string>> wanted = {{"leaderworkerset.sigs.k8s.io/name", workload.name}};
  set_label(role, wanted[0].first, workload.name);
  role.selector = selector_of(wanted, object);
  workload.waits_for_leader = spec.text("startupPolicy") == "LeaderReady";
}

void read_replica_roles(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  WorkloadRole& role = workload.roles.emplace_back();
  role.members = spec.number("replicas").value_or(1);
  role.labels = template_labels(spec.at("template"));
  role.selector = read_selector(spec, "selector");
  if (role.selector.empty()) spec.complain("selector", "is missing");
  if (workload.type->kind != WorkloadKind::stateful_set) {
    role.numbers = RoleNumbers::counted;
    return;
  }
  role.first = spec.at("ordinals").number("start").value_or(0);
  workload.is_ordered = spec.text("podManagementPolicy") != "Parallel";
}

}  // namespace rollcall
