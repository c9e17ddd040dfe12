// A pod as the API shows it.
#include <fmt/format.h>

#include "base/timestamp.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

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
  for (const std::string& ip : ips) out.push_back(json::object{{"ip", ip}});
  return out;
}

std::string life_name(const KubePod& pod, const KubePodState& state) {
  return fmt::format("{}/{}#{}", pod.namespace_name, pod.name, state.life);
}

json::object metadata_json(const KubernetesModel& model, const KubePod& pod, const KubePodState& state, std::uint64_t version) {
  json::object out{{"name", pod.name}};
  put(out, "generateName", pod.generate_name);
  out["namespace"] = pod.namespace_name;
  out["uid"] = kube_pod_uid(pod, state);
  out["resourceVersion"] = std::to_string(version);
  out["generation"] = state.generation;
  out["creationTimestamp"] = kube_date(model, state.created);
  if (state.deletion) {
    out["deletionTimestamp"] = kube_date(model, *state.deletion);
    out["deletionGracePeriodSeconds"] = state.grace;
  }
  put(out, "labels", texts_json(*state.labels));
  put(out, "annotations", texts_json(*pod.annotations));
  if (pod.set->kind.empty()) return out;
  out["ownerReferences"] =
      kube_owner_references(pod.set->api_version, pod.set->kind, pod.owner, kube_uid(pod.namespace_name, pod.set->kind, pod.owner));
  return out;
}

json::object container_json(const KubePod& pod) {
  const KubePodSet& set = *pod.set;
  json::object out{{"name", "main"}, {"image", set.image}};
  put(out, "command", json::array(set.command.begin(), set.command.end()));
  json::array ports;
  for (const auto& [name, number] : set.ports)
    ports.push_back(json::object{{"name", name}, {"containerPort", number}, {"protocol", "TCP"}});
  put(out, "ports", std::move(ports));
  json::array env;
  for (const auto& [name, value] : pod.env) env.push_back(json::object{{"name", name}, {"value", value}});
  put(out, "env", std::move(env));
  const json::object tpus{{"google.com/tpu", std::to_string(set.tpus)}};
  out["resources"] = set.tpus > 0 ? json::object{{"limits", tpus}, {"requests", tpus}} : json::object();
  out["terminationMessagePath"] = "/dev/termination-log";
  out["terminationMessagePolicy"] = "File";
  out["imagePullPolicy"] = "IfNotPresent";
  return out;
}

json::object spec_json(const KubePod& pod, const KubePodState& state) {
  const KubePodSet& set = *pod.set;
  json::object out{{"containers", json::array{container_json(pod)}},
                   {"restartPolicy", set.restart_policy},
                   {"terminationGracePeriodSeconds", 30},
                   {"dnsPolicy", "ClusterFirst"}};
  put(out, "nodeSelector", texts_json(set.node_selector));
  out["serviceAccountName"] = set.service_account;
  out["serviceAccount"] = set.service_account;
  if (state.is_scheduled) out["nodeName"] = pod.node;
  if (set.host_network) out["hostNetwork"] = true;
  out["securityContext"] = json::object();
  put(out, "hostname", pod.hostname);
  put(out, "subdomain", pod.subdomain);
  out["schedulerName"] = "default-scheduler";
  if (set.tpus > 0) {
    out["tolerations"] =
        json::array{json::object{{"key", "google.com/tpu"}, {"operator", "Equal"}, {"value", "present"}, {"effect", "NoSchedule"}}};
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
    json::object out{{"phase", state_.phase}};
    put(out, "conditions", conditions_json());
    put(out, "message", state_.message);
    put(out, "reason", state_.reason);
    if (state_.is_seen) {
      out["hostIP"] = pod_.host_ips.front();
      out["hostIPs"] = ips_json(pod_.host_ips);
      if (has_run && !pod_.pod_ips.empty()) {
        out["podIP"] = pod_.pod_ips.front();
        out["podIPs"] = ips_json(pod_.pod_ips);
      }
      if (state_.started) out["startTime"] = kube_date(model_, *state_.started);
      out["containerStatuses"] = json::array{container_status()};
    }
    out["qosClass"] = "BestEffort";
    return out;
  }

 private:
  json::object condition(std::string_view type, bool is_true, std::string_view reason = {}, std::string_view message = {}) const {
    json::object out{{"type", type}, {"status", is_true ? "True" : "False"}, {"lastProbeTime", nullptr}, {"lastTransitionTime", changed_}};
    put(out, "reason", reason);
    put(out, "message", message);
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
    if (state_.phase == "Succeeded" || state_.phase == "Failed") {
      details["exitCode"] = state_.exit_code;
      details["reason"] = !state_.waiting.empty() ? std::string_view(state_.waiting) : state_.exit_code == 0 ? "Completed" : "Error";
      if (state_.started) details["startedAt"] = kube_date(model_, *state_.started);
      details["finishedAt"] = changed_;
      return {{"terminated", std::move(details)}};
    }
    if (state_.phase == "Pending" || !state_.waiting.empty()) {
      details["reason"] = state_.waiting.empty() ? std::string_view("ContainerCreating") : std::string_view(state_.waiting);
      if (!state_.waiting.empty()) put(details, "message", state_.message);
      return {{"waiting", std::move(details)}};
    }
    return {{"running", {{"startedAt", kube_date(model_, state_.started.value_or(state_.changed))}}}};
  }

  json::object container_status() const {
    const bool has_run = state_.phase != "Pending";
    const std::string id = fingerprint(life_name(pod_, state_));
    const std::string& image = pod_.set->image;
    json::object out{{"name", "main"},
                     {"state", container_state()},
                     {"lastState", json::object()},
                     {"ready", state_.is_ready},
                     {"restartCount", state_.restarts},
                     {"image", image},
                     {"imageID", has_run ? fmt::format("{0}@sha256:{1}{1}{1}{1}", image.substr(0, image.rfind(':')), id) : ""}};
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

std::string kube_uid(std::string_view namespace_name, std::string_view kind, std::string_view name) {
  return uuid_of(fmt::format("{}/{}/{}", namespace_name, kind, name));
}

std::string kube_pod_uid(const KubePod& pod, const KubePodState& state) { return uuid_of(life_name(pod, state)); }

json::array kube_owner_references(std::string_view api_version, std::string_view kind, std::string_view name, std::string_view uid) {
  return json::array{json::object{
      {"apiVersion", api_version}, {"kind", kind}, {"name", name}, {"uid", uid}, {"controller", true}, {"blockOwnerDeletion", true}}};
}

std::string kube_date(const KubernetesModel& model, Duration at) {
  return format_rfc3339(model.start + std::chrono::floor<std::chrono::seconds>(at));
}

json::object kube_with_kind(json::object first, std::string_view kind, std::string_view api_version) {
  json::object out;
  out.reserve(first.size() + 2);
  out["kind"] = kind;
  out["apiVersion"] = api_version;
  for (auto& [key, value] : first) out[key] = std::move(value);
  return out;
}

json::object kube_written_json(const json::object& written, std::uint64_t version) {
  json::object out = written;
  json::value* const metadata = out.if_contains("metadata");
  if (metadata && metadata->is_object()) metadata->get_object()["resourceVersion"] = std::to_string(version);
  out.erase("kind");
  out.erase("apiVersion");
  return out;
}

json::object kube_pod_json(const KubernetesModel& model, const KubePod& pod, const KubePodState& state, std::uint64_t version) {
  if (state.is_whole) return kube_written_json(*state.raw, version);
  json::object out{{"metadata", metadata_json(model, pod, state, version)},
                   {"spec", spec_json(pod, state)},
                   {"status", StatusWriter(model, pod, state).write()}};
  if (!state.cause.empty()) show_kube_cause(out, model, pod, state);
  if (state.raw) merge_json(out, *state.raw);
  json::value* const metadata = out.if_contains("metadata");
  if (model.has_managed_fields && metadata && metadata->is_object() && !metadata->get_object().contains("managedFields")) {
    const std::string created = kube_date(model, state.created);
    const std::string changed = kube_date(model, state.changed);
    metadata->get_object()["managedFields"] = kube_managed_fields(out, created, changed);
  }
  return out;
}

}  // namespace rollcall::sim
