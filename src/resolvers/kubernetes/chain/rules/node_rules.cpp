#include "resolvers/kubernetes/chain/rules/node_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall {
namespace {

constexpr std::string_view pressures[] = {"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"};
// Of the node problem detector and NVSentinel, as far as fault_words does not match them.
constexpr std::string_view bad_types[] = {
    "XfsShutdown",  "FrequentKubeletRestart", "FrequentContainerdRestart", "FrequentDockerRestart", "FrequentUnregisterNetDevice",
    "DiskBadBlock", "CorruptDockerOverlay2",  "ReadonlyFilesystem",        "VMEventScheduled",
};
constexpr std::string_view fault_words[] = {"Gpu",         "GPU",      "Xid",      "XID",       "NVSwitch", "Nvlink", "NVLink",
                                            "Kernel",      "Readonly", "Deadlock", "Fault",     "Error",    "Fail",   "Problem",
                                            "Maintenance", "Missing",  "Flapping", "Unhealthy", "FellOff"};
constexpr std::string_view health_endings[] = {"Ready", "Healthy", "Available", "Passed", "Succeeded"};
// Taints that repeat a condition or a field of the node.
constexpr std::string_view repeating_taints[] = {
    "node.kubernetes.io/not-ready",           "node.kubernetes.io/unreachable",   "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/memory-pressure",     "node.kubernetes.io/disk-pressure", "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable",
};
constexpr std::string_view bad_taints[] = {
    "node.kubernetes.io/out-of-service",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cloudprovider.kubernetes.io/shutdown",
    "cloud.google.com/impending-node-termination",
    "ToBeDeletedByClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/unregistered",
};
constexpr std::string_view taint_words[] = {"xid", "error", "fault", "fail", "unhealthy", "problem", "maintenance", "quarantine"};
constexpr std::string_view device_owners[] = {"nvidia.com/",     "amd.com/gpu",    "google.com/tpu",   "aws.amazon.com/neuron",
                                              "habana.ai/gaudi", "gpu.intel.com/", "huawei.com/Ascend"};
constexpr std::string_view cordoned = "Cordoned";

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}
template <std::size_t N>
bool has_one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [text](std::string_view w) { return text.find(w) != std::string_view::npos; });
}
template <std::size_t N>
bool starts_with_one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [text](std::string_view w) { return text.starts_with(w); });
}

bool sounds_healthy(std::string_view type) {
  if (type.ends_with("Unhealthy") || type.ends_with("NotReady") || type.ends_with("Unavailable")) return false;
  return std::any_of(std::begin(health_endings), std::end(health_endings), [type](std::string_view end) { return type.ends_with(end); });
}

bool is_bad(const KubeCondition& condition) {
  if (is_one_of(condition.type, pressures)) return condition.is_true();
  if (sounds_healthy(condition.type)) return condition.is_false();
  return condition.is_true() && (is_one_of(condition.type, bad_types) || has_one_of(condition.type, fault_words));
}

class NodeJudge {
 public:
  explicit NodeJudge(const NodeFacts& node) : node_(node), ready_(find_condition(node.conditions, "Ready")) {}

  NodeVerdict judge() {
    judge_readiness();
    for (const KubeCondition& condition : node_.conditions) {
      if (&condition != ready_ && is_bad(condition)) add_condition(condition);
    }
    judge_taints();
    judge_labels();
    judge_devices();
    if (node_.is_cordoned) add(cordoned, "no new pod is placed on it");
    return std::move(verdict_);
  }

 private:
  Cause& add(std::string_view code, std::string text) {
    return verdict_.causes.emplace_back(CauseLayer::node, std::string(code), std::move(text), "Node " + node_.name);
  }

  void judge_readiness() {
    if (!ready_ || ready_->is_true()) return;
    verdict_.is_down = true;
    add(ready_->reason.empty() ? "NotReady" : ready_->reason, ready_->message).since = ready_->since;
  }

  // What the kubelet says against it is named, too.
  void add_condition(const KubeCondition& condition) {
    std::string text = condition.message.empty() ? condition.reason : condition.message;
    while (text.ends_with(';') || text.ends_with('.') || text.ends_with(' ')) text.pop_back();
    if (ready_ && ready_->is_true()) text += text.empty() ? "its kubelet says that it is ready" : "; its kubelet says that it is ready";
    add(condition.type, std::move(text)).since = condition.since;
  }

  void judge_taints() {
    for (const NodeTaint& taint : node_.taints) {
      const bool is_repeated = is_one_of(taint.key, repeating_taints);
      if (is_repeated && (node_.is_cordoned || !verdict_.causes.empty())) continue;
      if (!is_repeated && !is_one_of(taint.key, bad_taints) && !has_one_of(to_lower(taint.key), taint_words)) continue;
      add("Taint", taint.text()).since = taint.since;
    }
  }

  void judge_labels() {
    const auto value_of = [this](std::string_view label) {
      const auto found = node_.labels.find(label);
      return found == node_.labels.end() ? std::string() : found->second;
    };
    if (const std::string state = value_of("dgxc.nvidia.com/nvsentinel-state"); !state.empty()) add("NVSentinel", "its state is " + state);
    if (const std::string health = value_of("sagemaker.amazonaws.com/node-health-status"); !health.empty() && health != "Schedulable")
      add(health, "HyperPod's health of the node");
    if (value_of("sagemaker.amazonaws.com/deep-health-check-status") == "Failed")
      add("DeepHealthCheckFailed", "HyperPod's deep check failed");
    if (value_of("cloud.google.com/active-node-maintenance") == "true") add("Maintenance", "its host is being maintained");
    const std::optional<std::int64_t> at =
        parse_decimal<std::int64_t>(value_of("cloud.google.com/scheduled-maintenance-time"), 0, 9'000'000'000);
    if (at) add("ScheduledMaintenance", "its host is maintained from " + format_rfc3339(WallTime(std::chrono::seconds(*at))));
  }

  // A device plug-in takes sick devices out of what is allocatable.
  void judge_devices() {
    for (const auto& [resource, quantity] : node_.capacity) {
      if (!starts_with_one_of(resource, device_owners)) continue;
      const auto mine = node_.allocatable.find(resource);
      const std::optional<std::int64_t> all = whole_devices(quantity);
      const std::optional<std::int64_t> fit = mine == node_.allocatable.end() ? std::nullopt : whole_devices(mine->second);
      if (all && fit && *fit < *all) add("DevicesUnhealthy", fmt::format("{} of {} {} are healthy", *fit, *all, resource));
    }
  }

  const NodeFacts& node_;
  const KubeCondition* ready_;
  NodeVerdict verdict_;
};

}  // namespace

NodeVerdict judge_node(const NodeFacts& node) { return NodeJudge(node).judge(); }

}  // namespace rollcall
