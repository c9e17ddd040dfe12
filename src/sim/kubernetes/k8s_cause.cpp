// What keeps a pod from being ready, in the words of the scheduler and the kubelet. [facts: k8s-pod-causes]
#include <fmt/format.h>

#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

struct AskedResource {
  std::string name;
  std::string number;
};

// The first device that the pod's containers ask for; a TPU if they ask for none.
AskedResource asked_device(const KubePod& pod, const KubePodState& state) {
  const json::value none;
  const auto member = [&none](const json::value& of, std::string_view name) -> const json::value& {
    const json::object* const object = of.if_object();
    const json::value* const found = object ? object->if_contains(name) : nullptr;
    return found ? *found : none;
  };
  const json::value raw = state.raw ? json::value(*state.raw) : none;
  if (const json::array* const containers = member(member(raw, "spec"), "containers").if_array()) {
    for (const json::value& container : *containers) {
      const json::object* const limits = member(member(container, "resources"), "limits").if_object();
      if (!limits) continue;
      for (const auto& [name, number] : *limits) {
        if (name.find('/') != json::string_view::npos && number.is_string())
          return {std::string(name), std::string(number.as_string().begin(), number.as_string().end())};
      }
    }
  }
  return {"google.com/tpu", std::to_string(std::max<std::int64_t>(1, pod.set->tpus))};
}

class CauseWriter {
 public:
  CauseWriter(json::object& pod_json, const KubernetesModel& model, const KubePod& pod, const KubePodState& state)
      : spec_(pod_json.at("spec").as_object()), status_(pod_json.at("status").as_object()), pod_(pod), state_(state),
        changed_(kube_date(model, state.changed)) {}

  void write() {
    const std::string& cause = state_.cause;
    const std::string& image = pod_.set->image;
    if (cause == "unschedulable") {
      condition("PodScheduled")["message"] = unschedulable_message(pod_, state_);
    } else if (cause == "gated") {
      spec_["schedulingGates"] = json::array{json::object{{"name", "kueue.x-k8s.io/admission"}}};
      condition("PodScheduled")["message"] = "Scheduling is blocked due to non-empty scheduling gates";
    } else if (cause == "image_pull") {
      wait("ImagePullBackOff", fmt::format("Back-off pulling image \"{}\": ErrImagePull: {}", image, pull_error(image)));
    } else if (cause == "config_missing") {
      wait("CreateContainerConfigError", "configmap \"hyperparameters\" not found");
    } else if (cause == "mount_failed") {
      condition("PodReadyToStartContainers")["status"] = "False";
    } else if (cause == "init_failing" || cause == "init_running") {
      write_init(cause == "init_failing");
    } else if (cause == "crash_loop") {
      restart(1, "Error");
    } else if (cause == "out_of_memory") {
      restart(137, "OOMKilled");
    } else if (cause == "evicted") {
      json::array& conditions = status_.at("conditions").as_array();
      conditions.insert(conditions.begin(), json::object{{"type", "DisruptionTarget"},
                                                         {"status", "True"},
                                                         {"lastProbeTime", nullptr},
                                                         {"lastTransitionTime", changed_},
                                                         {"reason", "EvictionByEvictionAPI"},
                                                         {"message", "Eviction API: evicting"}});
    } else if (cause == "node_refuses") {
      write_refusal();
    } else if (cause == "node_down") {
      json::object& ready = condition("Ready");
      ready.erase("reason");
      ready.erase("message");
      condition("ContainersReady")["status"] = "True";
      container()["ready"] = true;
    }
  }

  static std::string pull_error(const std::string& image) {
    return fmt::format(
        "rpc error: code = NotFound desc = failed to pull and unpack image \"{0}\": failed to resolve reference \"{0}\": {0}: not found",
        image);
  }
  static std::string unschedulable_message(const KubePod& pod, const KubePodState& state) {
    return fmt::format(
        "0/3 nodes are available: 3 Insufficient {}. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No "
        "preemption victims found for incoming pod.",
        asked_device(pod, state).name);
  }

 private:
  json::object& condition(std::string_view type) {
    for (json::value& one : status_.at("conditions").as_array()) {
      if (one.at("type").as_string() == type) return one.as_object();
    }
    return nothing_;
  }

  json::object& container() { return status_.at("containerStatuses").as_array().front().as_object(); }

  void wait(std::string_view reason, std::string_view message) {
    container()["state"] = json::object{{"waiting", json::object{{"reason", reason}, {"message", message}}}};
  }

  json::object ended(int exit_code, std::string_view reason) const {
    return {{"terminated", json::object{{"exitCode", exit_code}, {"reason", reason}, {"startedAt", changed_}, {"finishedAt", changed_}}}};
  }

  std::string back_off(std::string_view container_name) const {
    return fmt::format("back-off 10s restarting failed container={} pod={}_{}({})", container_name, pod_.name, pod_.namespace_name,
                       kube_pod_uid(pod_, state_));
  }

  void restart(int exit_code, std::string_view reason) {
    wait("CrashLoopBackOff", back_off("main"));
    container()["lastState"] = ended(exit_code, reason);
    container()["started"] = false;
  }

  void write_init(bool is_failing) {
    constexpr std::string_view name = "fetch-data";
    json::object init{{"name", name}, {"image", "example.com/tools:1"}};
    spec_["initContainers"] = json::array{init};
    if (is_failing) {
      init["state"] = json::object{{"waiting", json::object{{"reason", "CrashLoopBackOff"}, {"message", back_off(name)}}}};
      init["lastState"] = ended(2, "Error");
    } else {
      init["state"] = json::object{{"running", json::object{{"startedAt", changed_}}}};
      init["lastState"] = json::object();
    }
    init["ready"] = false;
    init["restartCount"] = is_failing ? state_.restarts : 0;
    init["started"] = !is_failing;
    status_["initContainerStatuses"] = json::array{std::move(init)};
    condition("PodReadyToStartContainers")["status"] = "True";
    json::object& initialized = condition("Initialized");
    initialized["status"] = "False";
    initialized["reason"] = "ContainersNotInitialized";
    initialized["message"] = fmt::format("containers with incomplete status: [{}]", name);
    container()["state"] = json::object{{"waiting", json::object{{"reason", "PodInitializing"}}}};
    container()["restartCount"] = 0;
  }

  // The kubelet takes no such pod: there are no conditions and no containers.
  void write_refusal() {
    status_.erase("conditions");
    status_.erase("containerStatuses");
    const AskedResource asked = asked_device(pod_, state_);
    status_["reason"] = "OutOf" + asked.name;
    status_["message"] = fmt::format("Pod was rejected: Node didn't have enough resource: {}, requested: {}, used: 0, capacity: 0",
                                     asked.name, asked.number);
  }

  json::object& spec_;
  json::object& status_;
  const KubePod& pod_;
  const KubePodState& state_;
  std::string changed_;
  json::object nothing_;
};

struct CauseEvent {
  std::string reason;
  std::string message;
  std::string_view component = "kubelet";
  std::string_view container = {};  // as in fieldPath
};

std::vector<CauseEvent> events_of(const KubePod& pod, const KubePodState& state) {
  constexpr std::string_view main_container = "spec.containers{main}";
  const std::string& image = pod.set->image;
  if (state.cause == "unschedulable") return {{"FailedScheduling", CauseWriter::unschedulable_message(pod, state), "default-scheduler"}};
  if (state.cause == "image_pull") {
    return {{"Failed", fmt::format("Failed to pull image \"{}\": {}", image, CauseWriter::pull_error(image)), "kubelet", main_container},
            {"BackOff", fmt::format("Back-off pulling image \"{}\"", image), "kubelet", main_container}};
  }
  if (state.cause == "config_missing") return {{"Failed", "Error: configmap \"hyperparameters\" not found", "kubelet", main_container}};
  if (state.cause == "mount_failed") return {{"FailedMount", "MountVolume.SetUp failed for volume \"key\" : secret \"wandb\" not found"}};
  if (state.cause == "not_ready") return {{"Unhealthy", "Readiness probe failed: still loading the checkpoint", "kubelet", main_container}};
  if (state.cause == "crash_loop") return {{"BackOff", "Back-off restarting failed container main", "kubelet", main_container}};
  if (state.cause == "init_failing")
    return {{"BackOff", "Back-off restarting failed container fetch-data", "kubelet", "spec.initContainers{fetch-data}"}};
  return {};
}

}  // namespace

void show_kube_cause(json::object& pod_json, const KubernetesModel& model, const KubePod& pod, const KubePodState& state) {
  CauseWriter(pod_json, model, pod, state).write();
}

json::array kube_cause_events(const KubernetesModel& model, const KubePod& pod, const KubePodState& state) {
  json::array out;
  const std::string date = kube_date(model, state.changed);
  for (const CauseEvent& event : events_of(pod, state)) {
    const std::string name = fmt::format("{}.{}", pod.name, event.reason == "BackOff" ? "2" : "1");
    json::object about{{"kind", "Pod"},      {"namespace", pod.namespace_name},
                       {"name", pod.name},   {"uid", kube_pod_uid(pod, state)},
                       {"apiVersion", "v1"}, {"resourceVersion", std::to_string(state.version)}};
    if (!event.container.empty()) about["fieldPath"] = event.container;
    const bool is_scheduler = event.component == "default-scheduler";  // its events have another form
    json::object one{{"metadata", json::object{{"name", name},
                                               {"namespace", pod.namespace_name},
                                               {"uid", uuid_of(fmt::format("{}/event/{}/{}", pod.namespace_name, name, state.version))},
                                               {"resourceVersion", std::to_string(state.version)},
                                               {"creationTimestamp", date}}},
                     {"involvedObject", std::move(about)},
                     {"reason", event.reason},
                     {"message", event.message},
                     {"source", is_scheduler ? json::object() : json::object{{"component", event.component}, {"host", pod.node}}}};
    if (is_scheduler) {
      one["firstTimestamp"] = nullptr;
      one["lastTimestamp"] = nullptr;
    } else {
      one["firstTimestamp"] = date;
      one["lastTimestamp"] = date;
      one["count"] = 1;
    }
    one["type"] = "Warning";
    one["eventTime"] = is_scheduler ? json::value(date.substr(0, date.size() - 1) + ".000000Z") : json::value();
    one["reportingComponent"] = event.component;
    one["reportingInstance"] = is_scheduler ? std::string("default-scheduler-simulated") : pod.node;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace rollcall::sim
