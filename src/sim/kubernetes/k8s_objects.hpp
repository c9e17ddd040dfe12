// Objects that are no pods: controllers, nodes, events, and others that the file has written.
#pragma once

#include <vector>

#include "sim/kubernetes/k8s_api.hpp"

namespace rollcall::sim {

Reply answer_objects(const KubeQuestion& question, const ParsedTarget& target);

/// A resource of an API group, as discovery lists it.
struct KubeResource {
  std::string group;  // empty: the core API
  std::string version;
  std::string kind;
  std::string name;
  bool is_namespaced = true;
};

/// The resources of the file besides pods and namespaces: those that every cluster has, and those of its objects. Sorted.
std::vector<KubeResource> kube_resources(const KubernetesModel& model);

/// Without kind and apiVersion.
boost::json::object kube_object_json(const KubernetesModel& model, const KubeObject& object, const KubeObjectState& state,
                                     std::uint64_t version);

}  // namespace rollcall::sim
