// A pod as the API shows it.
#include <fmt/format.h>

#include "base/timestamp.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

json::object texts_json(const KubeTexts& texts) {
  json::object out;
  for (const auto& [key, value] : texts) out[key] = value;
  return out;
}

json::array ips_json(const std::vector<std::string>& ips) {
  json::array out;
  for (const std::string& ip : ips) {
    json::object one;
    one["ip"] = ip;
    out.push_back(std::move(one));
  }
  return out;
}

std::string life_name(const KubePod& pod, const KubePodState& state) {
  return fmt::format("{}/{}#{}", pod.name_space, pod.name, state.life);
}

std::string owner_uid(const KubePod& pod) { return uuid_of(fmt::format("{}/{}/{}", pod.name_space, pod.set->kind, pod.owner)); }

json::object metadata_json(const KubernetesModel& model, const KubePod& pod, const KubePodState& state, std::uint64_t version) {
  json::object out;
  out["name"] = pod.name;
  if (!pod.generate_name.empty()) out["generateName"] = pod.generate_name;
  out["namespace"] = pod.name_space;
  out["uid"] = uuid_of(life_name(pod, state));
  out["resourceVersion"] = std::to_string(version);
  out["generation"] = state.generation;
  out["creationTimestamp"] = kube_date(model, state.created);
  if (state.deletion) {
    out["deletionTimestamp"] = kube_date(model, *state.deletion);
    out["deletionGracePeriodSeconds"] = state.grace;
  }
  if (!state.labels->empty()) out["labels"] = texts_json(*state.labels);
  if (!pod.annotations->empty()) out["annotations"] = texts_json(*pod.annotations);
  if (!pod.set->kind.empty()) {
    json::object owner;
    owner["apiVersion"] = pod.set->api_version;
    owner["kind"] = pod.set->kind;
    owner["name"] = pod.owner;
    owner["uid"] = owner_uid(pod);
    owner["controller"] = true;
    owner["blockOwnerDeletion"] = true;
    json::array owners;
    owners.push_back(std::move(owner));
    out["ownerReferences"] = std::move(owners);
  }
  return out;
}

json::object container_json(const KubePod& pod) {
  const KubePodSet& set = *pod.set;
  json::object out;
  out["name"] = "main";
  out["image"] = set.image;
  if (!set.command.empty()) {
    json::array command;
    for (const std::string& word : set.command) command.push_back(json::string(word));
    out["command"] = std::move(command);
  }
  json::array ports;
  for (const auto& [name, number] : set.ports) {
    json::object port;
    port["name"] = name;
    port["containerPort"] = number;
    port["protocol"] = "TCP";
    ports.push_back(std::move(port));
  }
  if (!ports.empty()) out["ports"] = std::move(ports);
  json::array env;
  for (const auto& [name, value] : pod.env) {
    json::object one;
    one["name"] = name;
    one["value"] = value;
    env.push_back(std::move(one));
  }
  if (!env.empty()) out["env"] = std::move(env);
  json::object resources;
  if (set.tpus > 0) {
    json::object limits;
    limits["google.com/tpu"] = std::to_string(set.tpus);
    resources["limits"] = limits;
    resources["requests"] = limits;
  }
  out["resources"] = std::move(resources);
  out["terminationMessagePath"] = "/dev/termination-log";
  out["terminationMessagePolicy"] = "File";
  out["imagePullPolicy"] = "IfNotPresent";
  return out;
}

json::object spec_json(const KubePod& pod, const KubePodState& state) {
  const KubePodSet& set = *pod.set;
  json::object out;
  json::array containers;
  containers.push_back(container_json(pod));
  out["containers"] = std::move(containers);
  out["restartPolicy"] = set.restart_policy;
  out["terminationGracePeriodSeconds"] = 30;
  out["dnsPolicy"] = "ClusterFirst";
  if (!set.node_selector.empty()) out["nodeSelector"] = texts_json(set.node_selector);
  out["serviceAccountName"] = set.service_account;
  out["serviceAccount"] = set.service_account;
  if (state.is_scheduled) out["nodeName"] = pod.node;
  if (set.host_network) out["hostNetwork"] = true;
  out["securityContext"] = json::object();
  if (!pod.hostname.empty()) out["hostname"] = pod.hostname;
  if (!pod.subdomain.empty()) out["subdomain"] = pod.subdomain;
  out["schedulerName"] = "default-scheduler";
  if (set.tpus > 0) {
    json::object toleration;
    toleration["key"] = "google.com/tpu";
    toleration["operator"] = "Equal";
    toleration["value"] = "present";
    toleration["effect"] = "NoSchedule";
    json::array tolerations;
    tolerations.push_back(std::move(toleration));
    out["tolerations"] = std::move(tolerations);
  }
  out["enableServiceLinks"] = true;
  return out;
}

class StatusWriter {
 public:
  StatusWriter(const KubernetesModel& model, const KubePod& pod, const KubePodState& state)
      : model_(model), pod_(pod), state_(state), changed_(kube_date(model, state.changed)) {}

  json::object write() const {
    const bool has_run = state_.phase != "Pending";
    json::object out;
    out["phase"] = state_.phase;
    json::array conditions = conditions_json();
    if (!conditions.empty()) out["conditions"] = std::move(conditions);
    if (!state_.message.empty()) out["message"] = state_.message;
    if (!state_.reason.empty()) out["reason"] = state_.reason;
    if (state_.is_seen) {
      out["hostIP"] = pod_.host_ips.front();
      out["hostIPs"] = ips_json(pod_.host_ips);
      if (has_run && !pod_.pod_ips.empty()) {
        out["podIP"] = pod_.pod_ips.front();
        out["podIPs"] = ips_json(pod_.pod_ips);
      }
      if (state_.started) out["startTime"] = kube_date(model_, *state_.started);
      json::array containers;
      containers.push_back(container_status());
      out["containerStatuses"] = std::move(containers);
    }
    out["qosClass"] = "BestEffort";
    return out;
  }

 private:
  json::object condition(std::string_view type, bool is_true, std::string_view reason = {}, std::string_view message = {}) const {
    json::object out;
    out["type"] = type;
    out["status"] = is_true ? "True" : "False";
    out["lastProbeTime"] = nullptr;
    out["lastTransitionTime"] = changed_;
    if (!reason.empty()) out["reason"] = reason;
    if (!message.empty()) out["message"] = message;
    return out;
  }

  json::array conditions_json() const {
    json::array out;
    if (!state_.is_scheduled) {
      if (!state_.waiting.empty()) out.push_back(condition("PodScheduled", false, state_.waiting, state_.message));
      return out;
    }
    if (!state_.is_seen) {
      out.push_back(condition("PodScheduled", true));
      return out;
    }
    const bool is_over = state_.phase == "Succeeded" || state_.phase == "Failed";
    const std::string_view reason = state_.phase == "Succeeded" ? "PodCompleted" : is_over ? "PodFailed" : "ContainersNotReady";
    const std::string_view message = is_over ? "" : "containers with unready status: [main]";
    out.push_back(condition("PodReadyToStartContainers", state_.phase == "Running"));
    out.push_back(condition("Initialized", true));
    for (const std::string_view type : {"Ready", "ContainersReady"}) {
      out.push_back(state_.is_ready ? condition(type, true) : condition(type, false, reason, message));
    }
    out.push_back(condition("PodScheduled", true));
    return out;
  }

  json::object container_state() const {
    json::object details;
    json::object out;
    if (state_.phase == "Succeeded" || state_.phase == "Failed") {
      details["exitCode"] = state_.exit_code;
      details["reason"] = !state_.waiting.empty() ? std::string_view(state_.waiting) : state_.exit_code == 0 ? "Completed" : "Error";
      if (state_.started) details["startedAt"] = kube_date(model_, *state_.started);
      details["finishedAt"] = changed_;
      out["terminated"] = std::move(details);
    } else if (state_.phase == "Pending" || !state_.waiting.empty()) {
      details["reason"] = state_.waiting.empty() ? std::string_view("ContainerCreating") : std::string_view(state_.waiting);
      if (!state_.waiting.empty() && !state_.message.empty()) details["message"] = state_.message;
      out["waiting"] = std::move(details);
    } else {
      details["startedAt"] = kube_date(model_, state_.started.value_or(state_.changed));
      out["running"] = std::move(details);
    }
    return out;
  }

  json::object container_status() const {
    json::object out;
    const bool has_run = state_.phase != "Pending";
    const std::string id = fingerprint(life_name(pod_, state_));
    out["name"] = "main";
    out["state"] = container_state();
    out["lastState"] = json::object();
    out["ready"] = state_.is_ready;
    out["restartCount"] = state_.restarts;
    out["image"] = pod_.set->image;
    out["imageID"] =
        has_run ? fmt::format("{}@sha256:{}{}{}{}", pod_.set->image.substr(0, pod_.set->image.rfind(':')), id, id, id, id) : "";
    if (has_run) out["containerID"] = fmt::format("containerd://{}{}{}{}", id, id, id, id);
    out["started"] = state_.phase == "Running" && state_.waiting.empty();
    return out;
  }

  const KubernetesModel& model_;
  const KubePod& pod_;
  const KubePodState& state_;
  std::string changed_;
};

}  // namespace

std::string kube_date(const KubernetesModel& model, Duration at) {
  return format_rfc3339(model.start + std::chrono::floor<std::chrono::seconds>(at));
}

void kube_merge(json::object& into, const json::object& patch) {
  for (const auto& [key, value] : patch) {
    if (value.is_null()) {
      into.erase(key);
    } else if (json::value* known = into.if_contains(key); known && known->is_object() && value.is_object()) {
      kube_merge(known->get_object(), value.get_object());
    } else {
      into[key] = value;
    }
  }
}

json::object kube_with_kind(json::object first, std::string_view kind, std::string_view api_version) {
  json::object out;
  out.reserve(first.size() + 2);
  out["kind"] = kind;
  out["apiVersion"] = api_version;
  for (auto& [key, value] : first) out[key] = std::move(value);
  return out;
}

json::object kube_pod_json(const KubernetesModel& model, const KubePod& pod, const KubePodState& state, std::uint64_t version) {
  json::object out;
  out["metadata"] = metadata_json(model, pod, state, version);
  out["spec"] = spec_json(pod, state);
  out["status"] = StatusWriter(model, pod, state).write();
  if (state.raw) kube_merge(out, *state.raw);
  json::value* const metadata = out.if_contains("metadata");
  if (model.has_managed_fields && metadata && metadata->is_object() && !metadata->get_object().contains("managedFields")) {
    const std::string created = kube_date(model, state.created);
    const std::string changed = kube_date(model, state.changed);
    metadata->get_object()["managedFields"] = kube_managed_fields(out, created, changed);
  }
  return out;
}

}  // namespace rollcall::sim
