// The controllers and the nodes of a file's pods as objects of the API.
#include <algorithm>
#include <map>
#include <tuple>

#include "sim/file/k8s_draft.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

using ObjectKey = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name

class Owners {
 public:
  explicit Owners(KubernetesModel& model) : model_(model) {
    for (std::size_t i = 0; i < model.objects.size(); ++i) {
      const KubeObject& object = model.objects[i];
      known_.emplace(ObjectKey(object.kind, object.namespace_name, object.name), static_cast<std::uint32_t>(i));
    }
  }

  void add() {
    for (std::size_t i = 0; i < model_.pods.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      const std::shared_ptr<const KubePodSet> set = model_.pods[i].set;
      if (!set->kind.empty()) add_controllers(number, *set, set);
      if (!model_.pods[i].node.empty()) join(number, node(model_.pods[i].node));
    }
    for (const KubeEvent& event : model_.events) note_change(event);
    begin_controllers();
    sort();
  }

 private:
  // The controller of the pod, and above it what the file names: a JobSet has Jobs, a LeaderWorkerSet StatefulSets.
  void add_controllers(std::uint32_t number, const KubePodSet& set, const std::shared_ptr<const KubePodSet>& shared) {
    const std::string namespace_name = model_.pods[number].namespace_name;
    const std::string owner = model_.pods[number].owner;
    std::string top;
    if (set.workload == "job_set") top = "JobSet";
    if (set.workload == "leader_worker_set") top = "LeaderWorkerSet";
    if (set.workload == "replica_set") top = "Deployment";
    const std::uint32_t direct = controller(set.kind, namespace_name, owner, shared);
    join(number, direct);
    if (top.empty()) return;
    // The StatefulSet of a group's workers belongs to the group's leader.
    const bool is_of_leader = set.workload == "leader_worker_set" && owner != set.workload_name;
    if (model_.objects[direct].owner_kind.empty() && model_.objects[direct].how == KubeObjectKind::controller) {
      model_.objects[direct].owner_kind = is_of_leader ? "Pod" : top;
      model_.objects[direct].owner_name = is_of_leader ? owner : set.workload_name;
    }
    join(number, controller(top, namespace_name, set.workload_name, shared));
  }

  std::uint32_t controller(const std::string& kind, const std::string& namespace_name, const std::string& name,
                           const std::shared_ptr<const KubePodSet>& set) {
    const auto [at, is_new] = known_.emplace(ObjectKey(kind, namespace_name, name), static_cast<std::uint32_t>(model_.objects.size()));
    if (!is_new) return at->second;
    KubeObject object;
    object.how = KubeObjectKind::controller;
    object.kind = kind;
    const bool is_job = kind == "Job";
    object.group = is_job                      ? "batch"
                   : kind == "JobSet"          ? "jobset.x-k8s.io"
                   : kind == "LeaderWorkerSet" ? "leaderworkerset.x-k8s.io"
                                               : "apps";
    object.version = kind == "JobSet" ? "v1alpha2" : "v1";
    object.resource = kube_resource(kind);
    object.namespace_name = namespace_name;
    object.name = name;
    object.set = set;
    model_.objects.push_back(std::move(object));
    return at->second;
  }

  std::uint32_t node(const std::string& name) {
    const auto [at, is_new] = known_.emplace(ObjectKey("Node", "", name), static_cast<std::uint32_t>(model_.objects.size()));
    if (!is_new) return at->second;
    KubeObject object;
    object.how = KubeObjectKind::node;
    object.kind = "Node";
    object.resource = "nodes";
    object.name = name;
    object.states.push_back({Duration(0), model_.first_version, false, nullptr});
    model_.objects.push_back(std::move(object));
    return at->second;
  }

  // What the file has written is as written.
  void join(std::uint32_t pod, std::uint32_t object) {
    if (model_.objects[object].how == KubeObjectKind::written) return;
    model_.objects[object].pods.push_back(pod);
    model_.pods[pod].objects.push_back(object);
  }

  void note_change(const KubeEvent& event) {
    if (event.is_of_object) return;
    const KubePod& pod = model_.pods[event.pod];
    const KubePodState& state = pod.states[event.state];
    const bool is_about_node = state.cause == "node_down" || (event.state > 0 && pod.states[event.state - 1].cause == "node_down");
    for (const std::uint32_t number : pod.objects) {
      KubeObject& object = model_.objects[number];
      if (object.how == KubeObjectKind::controller || is_about_node) object.changes.push_back(state.version);
    }
  }

  // A controller is there from its first pod's creation on; one whose first pod has always been there, from the start.
  void begin_controllers() {
    for (KubeObject& object : model_.objects) {
      if (object.how != KubeObjectKind::controller || object.pods.empty()) continue;
      const KubePodState* first = nullptr;
      for (const std::uint32_t pod : object.pods) {
        const KubePodState& state = model_.pods[pod].states.front();
        if (!first || state.version < first->version) first = &state;
      }
      const bool is_old = first->at <= Duration(0);
      object.states.push_back({first->at, is_old ? model_.first_version : first->version, false, nullptr});
    }
  }

  void sort() {
    std::vector<std::uint32_t> order(model_.objects.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      const KubeObject& x = model_.objects[a];
      const KubeObject& y = model_.objects[b];
      return std::tie(x.group, x.resource, x.namespace_name, x.name) < std::tie(y.group, y.resource, y.namespace_name, y.name);
    });
    std::vector<std::uint32_t> place(order.size());
    std::vector<KubeObject> sorted;
    sorted.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = static_cast<std::uint32_t>(i);
      sorted.push_back(std::move(model_.objects[order[i]]));
    }
    model_.objects = std::move(sorted);
    for (KubePod& pod : model_.pods) {
      for (std::uint32_t& number : pod.objects) number = place[number];
    }
    for (KubeEvent& event : model_.events) {
      if (event.is_of_object) event.pod = place[event.pod];
    }
  }

  KubernetesModel& model_;
  std::map<ObjectKey, std::uint32_t> known_;
};

}  // namespace

void kube_add_owners(KubernetesModel& model) { Owners(model).add(); }

}  // namespace rollcall::sim
