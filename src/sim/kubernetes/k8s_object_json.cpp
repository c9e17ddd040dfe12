// Controllers and nodes as the API shows them. Their status is counted from their pods.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/kubernetes/k8s_objects.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

struct PodCounts {
  std::size_t active = 0;
  std::size_t ready = 0;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t terminating = 0;

  void add(const KubePodState& state) {
    if (state.phase == "Succeeded") {
      ++succeeded;
    } else if (state.phase == "Failed") {
      ++failed;
    } else if (state.deletion) {
      ++terminating;
    } else {
      ++active;
      if (state.is_ready) ++ready;
    }
  }
};

class ControllerWriter {
 public:
  ControllerWriter(const KubernetesModel& model, const KubeObject& object, const KubeObjectState& state, std::uint64_t version)
      : model_(model), object_(object), set_(*object.set), version_(version), created_(kube_date(model, state.at)),
        uid_(kube_uid(object.namespace_name, object.kind, object.name)) {
    for (const std::uint32_t number : object.pods) {
      const KubePod& pod = model.pods[number];
      keep_common(*pod.states.front().labels);
      const KubePodState* const now = kube_state_at(pod, version);
      if (!now) continue;
      all_.add(*now);
      by_owner_[pod.owner].add(*now);
      const auto group = now->labels->find("leaderworkerset.sigs.k8s.io/group-index");
      if (group != now->labels->end()) by_group_[group->second].add(*now);
    }
    common_.erase("controller-revision-hash");
  }

  json::object write() {
    json::object out{{"metadata", metadata()}};
    if (object_.kind == "Job") write_job(out);
    if (object_.kind == "JobSet") write_job_set(out);
    if (object_.kind == "LeaderWorkerSet") write_leader_worker_set(out);
    if (object_.kind == "StatefulSet") write_replicas(out, stateful_replicas(), true);
    if (object_.kind == "ReplicaSet" || object_.kind == "Deployment") write_replicas(out, set_.count, false);
    return out;
  }

 private:
  void keep_common(const KubeTexts& labels) {
    if (!has_labels_) common_ = labels;
    has_labels_ = true;
    std::erase_if(common_, [&labels](const auto& one) {
      const auto found = labels.find(one.first);
      return found == labels.end() || found->second != one.second;
    });
  }

  json::object common_json() const {
    json::object out;
    for (const auto& [key, value] : common_) out[key] = value;
    return out;
  }

  json::object metadata() const {
    json::object out{{"name", object_.name}, {"namespace", object_.namespace_name},
                     {"uid", uid_},          {"resourceVersion", std::to_string(kube_shown_version(object_, version_))},
                     {"generation", 1},      {"creationTimestamp", created_}};
    put(out, "labels", common_json());
    if (object_.owner_kind.empty()) return out;
    if (object_.owner_kind == "Pod") {
      KubePodState first;
      KubePod leader;
      leader.namespace_name = object_.namespace_name;
      leader.name = object_.owner_name;
      out["ownerReferences"] = kube_owner_references("v1", "Pod", object_.owner_name, kube_pod_uid(leader, first));
      return out;
    }
    const std::string_view api = object_.owner_kind == "JobSet"            ? "jobset.x-k8s.io/v1alpha2"
                                 : object_.owner_kind == "LeaderWorkerSet" ? "leaderworkerset.x-k8s.io/v1"
                                                                           : "apps/v1";
    out["ownerReferences"] = kube_owner_references(api, object_.owner_kind, object_.owner_name,
                                                   kube_uid(object_.namespace_name, object_.owner_kind, object_.owner_name));
    return out;
  }

  json::object pod_template() const {
    const json::object tpus{{"google.com/tpu", std::to_string(set_.tpus)}};
    json::object container{{"name", "main"}, {"image", set_.image}};
    container["resources"] = set_.tpus > 0 ? json::object{{"limits", tpus}, {"requests", tpus}} : json::object();
    return {{"metadata", json::object{{"labels", common_json()}}},
            {"spec", json::object{{"containers", json::array{std::move(container)}}, {"restartPolicy", set_.restart_policy}}}};
  }

  json::object job_spec() const {
    return {{"parallelism", set_.count},
            {"completions", set_.count},
            {"completionMode", set_.workload == "job" ? "NonIndexed" : "Indexed"},
            {"backoffLimit", 6},
            {"suspend", false}};
  }

  void write_job(json::object& out) const {
    json::object spec = job_spec();
    spec["selector"] = json::object{{"matchLabels", json::object{{"batch.kubernetes.io/controller-uid", uid_}}}};
    spec["template"] = pod_template();
    out["spec"] = std::move(spec);
    json::object status;
    if (all_.succeeded >= set_.count) {
      status["conditions"] = json::array{condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods"),
                                         condition("Complete", "CompletionsReached", "Reached expected number of succeeded pods")};
    }
    status["startTime"] = created_;
    put_count(status, "active", all_.active);
    put_count(status, "succeeded", all_.succeeded);
    put_count(status, "failed", all_.failed);
    status["terminating"] = all_.terminating;
    status["uncountedTerminatedPods"] = json::object();
    status["ready"] = all_.ready;
    out["status"] = std::move(status);
  }

  void write_job_set(json::object& out) const {
    json::object spec = job_spec();
    spec["template"] = pod_template();
    out["spec"] = json::object{{"network", json::object{{"enableDNSHostnames", true}, {"subdomain", object_.name}}},
                               {"replicatedJobs", json::array{json::object{{"name", set_.replicated_job},
                                                                           {"replicas", set_.groups},
                                                                           {"template", json::object{{"spec", std::move(spec)}}}}}},
                               {"suspend", false}};
    std::size_t active = 0;
    std::size_t ready = 0;
    std::size_t succeeded = 0;
    for (const auto& [owner, counts] : by_owner_) {
      if (counts.active > 0) ++active;
      if (counts.ready + counts.succeeded >= set_.count) ++ready;
      if (counts.succeeded >= set_.count) ++succeeded;
    }
    json::object status;
    if (succeeded >= set_.groups)
      status["conditions"] = json::array{condition("Completed", "AllJobsCompleted", "jobset completed successfully")};
    status["replicatedJobsStatus"] = json::array{json::object{
        {"name", set_.replicated_job}, {"ready", ready}, {"succeeded", succeeded}, {"failed", 0}, {"active", active}, {"suspended", 0}}};
    status["restarts"] = 0;
    out["status"] = std::move(status);
  }

  void write_leader_worker_set(json::object& out) const {
    out["spec"] = json::object{
        {"replicas", set_.groups},
        {"leaderWorkerTemplate",
         json::object{{"size", set_.count}, {"restartPolicy", "RecreateGroupOnPodRestart"}, {"workerTemplate", pod_template()}}},
        {"startupPolicy", "LeaderCreated"}};
    const auto ready =
        std::count_if(by_group_.begin(), by_group_.end(), [this](const auto& one) { return one.second.ready >= set_.count; });
    out["status"] = json::object{{"replicas", by_group_.size()}, {"readyReplicas", ready}, {"updatedReplicas", by_group_.size()}};
  }

  // Of a LeaderWorkerSet one StatefulSet has the leaders, and each group has one for its workers, from ordinal 1 on.
  std::size_t stateful_replicas() const {
    if (set_.workload != "leader_worker_set") return set_.count;
    return object_.owner_kind == "Pod" ? set_.count - 1 : set_.groups;
  }

  void write_replicas(json::object& out, std::size_t replicas, bool is_stateful) const {
    json::object spec{{"replicas", replicas}, {"selector", json::object{{"matchLabels", selector()}}}, {"template", pod_template()}};
    if (is_stateful) {
      spec["serviceName"] = set_.workload_name;
      spec["podManagementPolicy"] = "Parallel";
      if (object_.owner_kind == "Pod") spec["ordinals"] = json::object{{"start", 1}};
    }
    out["spec"] = std::move(spec);
    json::object status{{"observedGeneration", 1}, {"replicas", all_.active}};
    put_count(status, "readyReplicas", all_.ready);
    put_count(status, "availableReplicas", all_.ready);
    out["status"] = std::move(status);
  }

  // A StatefulSet without labels of the user's has only that of its revision.
  json::object selector() const {
    if (!common_.empty() || object_.pods.empty()) return common_json();
    const KubeTexts& labels = *model_.pods[object_.pods.front()].states.front().labels;
    const auto revision = labels.find("controller-revision-hash");
    return revision == labels.end() ? json::object() : json::object{{revision->first, revision->second}};
  }

  json::object condition(std::string_view type, std::string_view reason, std::string_view message) const {
    return {{"type", type}, {"status", "True"}, {"lastTransitionTime", created_}, {"reason", reason}, {"message", message}};
  }

  static void put_count(json::object& into, std::string_view name, std::size_t count) {
    if (count > 0) into[name] = count;
  }

  const KubernetesModel& model_;
  const KubeObject& object_;
  const KubePodSet& set_;
  std::uint64_t version_;
  std::string created_;
  std::string uid_;
  KubeTexts common_;  // labels that all pods have
  bool has_labels_ = false;
  PodCounts all_;
  std::map<std::string, PodCounts> by_owner_;
  std::map<std::string, PodCounts> by_group_;
};

json::object node_condition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                            std::string_view at) {
  return {{"type", type},     {"status", status},  {"lastHeartbeatTime", at}, {"lastTransitionTime", at},
          {"reason", reason}, {"message", message}};
}

json::object node_json(const KubernetesModel& model, const KubeObject& object, std::uint64_t version) {
  std::int64_t tpus = 0;
  const KubePodState* down = nullptr;
  for (const std::uint32_t number : object.pods) {
    const KubePod& pod = model.pods[number];
    const KubePodState* const state = kube_state_at(pod, version);
    if (state && state->is_scheduled) tpus += pod.set->tpus;
    if (state && state->cause == "node_down") down = state;
  }
  const std::string start = kube_date(model, Duration(0));
  json::object spec;
  json::array conditions;
  if (down) {
    const std::string at = kube_date(model, down->changed);
    spec["taints"] = json::array{json::object{{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoSchedule"}, {"timeAdded", at}},
                                 json::object{{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoExecute"}, {"timeAdded", at}}};
    conditions.push_back(node_condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", at));
  } else {
    conditions.push_back(node_condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", start));
  }
  json::object capacity{{"cpu", "96"}, {"memory", "400Gi"}, {"pods", "110"}};
  if (tpus > 0) capacity["google.com/tpu"] = std::to_string(tpus);
  json::array addresses;
  if (!object.pods.empty()) {
    for (const std::string& ip : model.pods[object.pods.front()].host_ips)
      addresses.push_back(json::object{{"type", "InternalIP"}, {"address", ip}});
  }
  addresses.push_back(json::object{{"type", "Hostname"}, {"address", object.name}});
  return {
      {"metadata", json::object{{"name", object.name},
                                {"uid", kube_uid("", "Node", object.name)},
                                {"resourceVersion", std::to_string(kube_shown_version(object, version))},
                                {"creationTimestamp", start},
                                {"labels", json::object{{"kubernetes.io/hostname", object.name}}}}},
      {"spec", std::move(spec)},
      {"status",
       json::object{
           {"capacity", capacity}, {"allocatable", capacity}, {"conditions", std::move(conditions)}, {"addresses", std::move(addresses)}}}};
}

}  // namespace

json::object kube_object_json(const KubernetesModel& model, const KubeObject& object, const KubeObjectState& state, std::uint64_t version) {
  if (object.how == KubeObjectKind::written) return kube_written_json(*state.json, state.version);
  if (object.how == KubeObjectKind::node) return node_json(model, object, version);
  return ControllerWriter(model, object, state, version).write();
}

}  // namespace rollcall::sim
