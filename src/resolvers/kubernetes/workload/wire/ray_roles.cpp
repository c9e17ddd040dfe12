// RayCluster and RayJob.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/saturating.hpp"
#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

namespace rollcall {
namespace {

WorkloadRole ray_role(const std::string& cluster, std::string_view node_type, const std::string& group) {
  WorkloadRole role;
  role.name = group;
  role.numbers = RoleNumbers::counted;  // the autoscaler takes away any of a group
  set_label(role, "ray.io/cluster", cluster);
  set_label(role, "ray.io/node-type", std::string(node_type));
  if (node_type == "worker") set_label(role, "ray.io/group", group);
  return role;
}

// Those of every pod, unless its template has others.
void set_usual_labels(WorkloadRole& role, const std::string& cluster, std::string_view node_type) {
  set_label(role, "ray.io/is-ray-node", "yes");
  set_label(role, "ray.io/identifier", fmt::format("{}-{}", cluster, node_type));
  set_label(role, "app.kubernetes.io/name", "kuberay");
  set_label(role, "app.kubernetes.io/created-by", "kuberay-operator");
}

// `spec`: of the cluster, or of the one that a RayJob makes.
void read_groups(const ObjectView& spec, const std::string& cluster, Workload& workload) {
  WorkloadRole head = ray_role(cluster, "head", "head");
  head.selector = selector_of(head.labels, spec);
  set_usual_labels(head, cluster, "head");
  set_label(head, "ray.io/group", "headgroup");
  for (const auto& [key, value] : spec.at("headGroupSpec").at("template").at("metadata").labels("labels")) {
    if (!key.starts_with("ray.io/")) set_label(head, key, value);
  }
  workload.roles.push_back(std::move(head));
  const bool is_elastic = spec.flag("enableInTreeAutoscaling");
  int minimum = 1;
  for (const ObjectView& group : spec.list("workerGroupSpecs")) {
    WorkloadRole role = ray_role(cluster, "worker", group.text("groupName"));
    role.selector = selector_of(role.labels, group);
    set_usual_labels(role, cluster, "worker");
    const int least = group.number("minReplicas").value_or(0);
    const int most = group.number("maxReplicas").value_or(std::numeric_limits<int>::max());
    const std::optional<int> wanted = group.number("replicas");
    role.parts = !wanted || *wanted < least ? least : std::min(*wanted, most);
    role.members = group.number("numOfHosts").value_or(1);
    if (group.flag("suspend")) role.parts = 0;
    role.after = {"head"};
    WorkloadRole at_least = role;
    at_least.parts = std::min(least, role.parts);
    minimum = saturating_sum(minimum, at_least.size());
    for (const auto& [key, value] : group.at("template").at("metadata").labels("labels")) {
      if (!key.starts_with("ray.io/")) set_label(role, key, value);
    }
    workload.roles.push_back(std::move(role));
  }
  if (is_elastic) workload.minimum = minimum;
}

void add_end(Workload& workload, std::string_view type, std::string reason, std::string message) {
  WorkloadCondition& end = workload.conditions.emplace_back();
  end.type = type;
  end.status = "True";
  end.reason = std::move(reason);
  end.message = std::move(message);
}

}  // namespace

void read_ray_roles(const ObjectView& object, Workload& workload) { read_groups(object.at("spec"), workload.name, workload); }

void read_ray_job(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  const ObjectView status = object.at("status");
  const ObjectView chosen = spec.at("clusterSelector");
  std::string cluster = status.text("rayClusterName");
  if (cluster.empty()) cluster = chosen.text("ray.io/cluster");
  if (!cluster.empty()) {
    WorkloadReference made;
    made.api_version = workload.api_version;
    made.kind = "RayCluster";
    made.name = cluster;
    made.is_chosen = chosen.is_there();
    workload.stands_for = std::move(made);
  }
  if (spec.at("rayClusterSpec").is_there()) read_groups(spec.at("rayClusterSpec"), cluster.empty() ? workload.name : cluster, workload);
  const std::string state = status.text("jobDeploymentStatus");
  const std::string job = status.text("jobStatus");
  if (state == "Complete" && job != "FAILED" && job != "STOPPED") add_end(workload, "Complete", state, status.text("message", 1024));
  if (state == "Failed" || (state == "Complete" && (job == "FAILED" || job == "STOPPED"))) {
    std::string reason = status.text("reason");
    add_end(workload, "Failed", reason.empty() ? state : std::move(reason), status.text("message", 1024));
  }
}

}  // namespace rollcall
