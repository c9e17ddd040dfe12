#include "resolvers/kubernetes/rules/pod_causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/order.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "resolvers/kubernetes/rules/container_causes.hpp"

namespace rollcall {
namespace {

// A scheduler or a kubelet that works has looked at a pod by then.
constexpr Duration first_look = std::chrono::seconds(30);
constexpr std::string_view no_scheduler_code = "NoScheduler";  // of one that the scheduler has not looked at by then

std::string shown_node(const FoundPod& pod) {
  return pod.details && !pod.details->node.empty() ? "Node " + pod.details->node : std::string("its node");
}

// The scheduler's message up to what it says of preemption; and of a gang only that it waits for the others.
std::string scheduler_words(std::string_view message) {
  message = message.substr(0, message.find(". "));
  if (message.starts_with("pod group is unschedulable, waiting")) message = message.substr(0, message.find(", one or more plugins"));
  if (message.ends_with('.')) message.remove_suffix(1);
  return kubernetes_words(message);
}

Cause caused(CauseLayer layer, std::string code, std::string text, std::string object, std::optional<WallTime> since) {
  Cause cause(layer, std::move(code), std::move(text), std::move(object));
  cause.since = since;
  return cause;
}

// Reasons of a pod that its kubelet refused or took away.
bool is_said_by_node(std::string_view reason) {
  constexpr std::string_view words[] = {"Evicted",    "NodeLost",   "NodeShutdown", "NodeAffinity",
                                        "Terminated", "Preempting", "Shutdown",     "UnexpectedAdmissionError",
                                        "OutOfcpu"};
  return reason.starts_with("OutOf") || std::find(std::begin(words), std::end(words), reason) != std::end(words);
}

class PodChain {
 public:
  PodChain(const FoundPod& pod, const PodState& state, WallTime now) : pod_(pod), state_(state), now_(now) {}

  PodWhy result() {
    take_disruption();
    if (state_.is_leaving) {
      take_leave();
    } else if (has_ended(pod_)) {
      take_end();
    } else if (pod_.phase != "Running" || !pod_.is_ready) {
      if (!take_schedule() && !take_node()) {
        take_containers();
        if (why_.causes.empty()) take_rest();
      }
    }
    sort_stably(why_.causes, [](const Cause& a, const Cause& b) { return a.layer < b.layer; });
    return std::move(why_);
  }

 private:
  // The last one that is added is summed up.
  void add(Cause cause, bool names_object = false) {
    const bool is_error = cause.code == "Error" || cause.code == "Completed";
    std::string summary = is_error || cause.code == pod_.phase || cause.code == no_scheduler_code ? std::string() : cause.code;
    if (names_object) summary += (summary.empty() ? "" : " of ") + cause.object;
    if (!cause.text.empty()) {
      const bool is_end = cause.text.starts_with("exit code ") && !is_error && cause.code != "CrashLoopBackOff";
      summary += (summary.empty() ? "" : is_end ? ", " : ": ") + cause.text;
    }
    why_.summary = std::move(summary);
    why_.causes.push_back(std::move(cause));
  }
  void note_change(std::optional<WallTime> at) {
    if (at && *at > now_ && (!why_.changes_at || *at < *why_.changes_at)) why_.changes_at = at;
  }
  // True if this long has passed since then.
  bool has_waited(std::optional<WallTime> since, Duration time) {
    if (!since) return false;
    const WallTime end = saturating_sum(*since, time);
    note_change(end);
    return now_ >= end;
  }

  void take_disruption() {
    const PodCondition* const target = state_.condition("DisruptionTarget");
    if (!target || target->status != "True") return;
    add(caused(CauseLayer::leaving, printable(target->reason.empty() ? "DisruptionTarget" : target->reason, 64),
               kubernetes_words(target->message), "pod", target->since));
  }

  // Until its containers have ended it may say that it is ready.
  void take_leave() {
    std::string text = "it is being deleted";
    if (state_.leaves_at) {
      constexpr Duration time_to_clear = std::chrono::seconds(10);  // a kubelet that works has removed it by then
      const bool is_late = has_waited(state_.leaves_at, time_to_clear);
      text += fmt::format(", {} {}", is_late ? "and is still there though its time to end was over at" : "and has until",
                          format_rfc3339(*state_.leaves_at));
      if (!is_late) text += " to end";
    }
    if (why_.causes.empty()) return add(caused(CauseLayer::leaving, "Deleted", std::move(text), "pod", state_.leaving_since));
    Cause reason = std::move(why_.causes.back());
    why_.causes.pop_back();
    reason.text += (reason.text.empty() ? "" : "; ") + text;
    add(std::move(reason));
  }

  void take_end() {
    const bool is_final = !is_made_again(pod_);
    if (!state_.reason.empty()) {
      why_.causes.clear();  // the kubelet says the same in its condition
      // A pod that never had a container was refused by its kubelet, for one of many reasons.
      const bool is_refused = state_.containers.empty() && state_.main_containers == 0;
      const bool is_by_node = pod_.phase == "Failed" && (is_refused || is_said_by_node(state_.reason));
      add(caused(is_by_node ? CauseLayer::node : CauseLayer::container, printable(state_.reason, 64), kubernetes_words(state_.message),
                 is_by_node ? shown_node(pod_) : "pod", unready_since(pod_)));
    } else if (const PodContainer* const first = why_.causes.empty() ? first_broken() : nullptr) {
      const bool is_named = first->is_init || state_.main_containers > 1;
      if (std::optional<ContainerTrouble> trouble = container_trouble(*first, pod_, now_)) add(std::move(trouble->cause), is_named);
    } else if (why_.causes.empty()) {
      const bool is_good = pod_.phase == "Succeeded";
      add(caused(CauseLayer::container, is_good ? "Completed" : "PodFailed", kubernetes_words(state_.message), "pod",
                 state_.last_end ? state_.last_end : unready_since(pod_)));
      if (!is_good && state_.message.empty()) why_.summary.clear();
    }
    for (Cause& cause : why_.causes) cause.is_final = is_final;
  }

  // The first container that ended with an error: others often end because of it. Null: there is none.
  const PodContainer* first_broken() const {
    const PodContainer* first = nullptr;
    for (const PodContainer& one : state_.containers) {
      if (one.state.kind != ContainerState::Kind::ended || (one.state.exit_code == 0 && one.state.signal == 0)) continue;
      const bool is_earlier = first && one.state.finished && first->state.finished && *one.state.finished < *first->state.finished;
      if (!first || is_earlier) first = &one;
    }
    return first;
  }

  bool take_schedule() {
    const PodCondition* const scheduled = state_.condition("PodScheduled");
    if (scheduled && scheduled->reason == "SchedulingGated") {
      std::string gates = fmt::format("{}", fmt::join(state_.gates, ", "));
      add(caused(CauseLayer::gate, "SchedulingGated", printable(gates.empty() ? scheduled->message : gates, 300), "pod", scheduled->since));
      return true;
    }
    if (scheduled) {
      std::string text = scheduler_words(scheduled->message);
      if (!state_.nominated_node.empty()) {
        text += fmt::format("{}room is being made on node {}", text.empty() ? "" : ", ", printable(state_.nominated_node, 64));
      }
      const std::string_view who = state_.scheduler.empty() ? std::string_view("scheduler") : std::string_view(state_.scheduler);
      add(caused(CauseLayer::schedule, printable(scheduled->reason.empty() ? "PodScheduled" : scheduled->reason, 64), std::move(text),
                 fmt::format("scheduler {}", printable(who, 64)), scheduled->since));
      return true;
    }
    const bool is_untouched = pod_.phase == "Pending" && !state_.scheduled && state_.containers.empty() && state_.main_containers == 0 &&
                              pod_.details && pod_.details->node.empty();
    if (!is_untouched || !has_waited(pod_.created, first_look)) return false;
    add(caused(CauseLayer::schedule, std::string(no_scheduler_code),
               fmt::format("no scheduler has looked at it, its schedulerName is {}", printable(state_.scheduler, 64)), "pod",
               pod_.created));
    return true;
  }

  bool take_node() {
    const PodCondition* const ready = state_.condition("Ready");
    const bool is_lost = state_.reason == "NodeLost" || pod_.phase == "Unknown";
    // The node's controller sets this condition without a reason, and leaves what the kubelet said last.
    const bool is_silent = pod_.phase == "Running" && ready && ready->reason.empty() && ready->message.empty() &&
                           !state_.condition("ContainersReady") && state_.readiness_gates.empty() && state_.containers.empty() &&
                           state_.main_containers > 0;
    if (is_lost || is_silent) {
      add(caused(CauseLayer::node, is_lost ? (state_.reason.empty() ? "NodeLost" : printable(state_.reason, 64)) : "NodeNotReady",
                 state_.message.empty() ? fmt::format("{} does not answer", shown_node(pod_)) : kubernetes_words(state_.message),
                 shown_node(pod_), unready_since(pod_)));
      return true;
    }
    const bool is_unseen = pod_.phase == "Pending" && state_.scheduled && state_.containers.empty() && state_.main_containers == 0 &&
                           !state_.has_sandbox && !ready;
    if (!is_unseen || !has_waited(state_.scheduled, first_look)) return false;
    add(caused(CauseLayer::node, "Pending", fmt::format("the kubelet of {} has not looked at it", shown_node(pod_)), shown_node(pod_),
               state_.scheduled));
    return true;
  }

  // Of each layer the trouble that says most. Init containers run one after the other: what stands behind the first only waits for it.
  void take_containers() {
    std::vector<ContainerTrouble> troubles;
    TroubleWeight most = TroubleWeight::follows;
    for (const PodContainer& one : state_.containers) {
      std::optional<ContainerTrouble> trouble = container_trouble(one, pod_, now_);
      if (!trouble) continue;
      note_change(trouble->final_at);
      most = std::max(most, trouble->weight);
      const auto same = std::find_if(troubles.begin(), troubles.end(),
                                     [&trouble](const ContainerTrouble& other) { return other.cause.layer == trouble->cause.layer; });
      if (same == troubles.end()) {
        troubles.push_back(std::move(*trouble));
      } else if (same->weight < trouble->weight || (!same->cause.is_final && trouble->cause.is_final)) {
        *same = std::move(*trouble);
      }
    }
    const TroubleWeight least = std::min(most, TroubleWeight::blocks);
    sort_stably(troubles, [](const ContainerTrouble& a, const ContainerTrouble& b) { return a.cause.layer < b.cause.layer; });
    for (ContainerTrouble& one : troubles) {
      if (one.weight < least) continue;
      const bool is_of_init = one.cause.object.starts_with("init ");
      const bool is_named = (is_of_init || state_.main_containers > 1) && one.weight > TroubleWeight::follows;
      add(std::move(one.cause), is_named);
    }
  }

  void take_rest() {
    const PodCondition* const ready = state_.condition("Ready");
    if (!state_.reason.empty()) {
      add(caused(CauseLayer::service, printable(state_.reason, 64), kubernetes_words(state_.message), "pod", unready_since(pod_)));
    } else if (pod_.phase == "Running" && !state_.readiness_gates.empty()) {
      add(caused(CauseLayer::readiness, "ReadinessGatesNotReady",
                 printable(fmt::format("{}", fmt::join(state_.readiness_gates, ", ")), 300), "pod", unready_since(pod_)));
    } else if (pod_.phase == "Running" && ready && !ready->reason.empty()) {
      add(caused(CauseLayer::readiness, printable(ready->reason, 64), kubernetes_words(ready->message), "pod", ready->since));
    }
  }

  const FoundPod& pod_;
  const PodState& state_;
  WallTime now_;
  PodWhy why_;
};

}  // namespace

bool PodWhy::is_final() const {
  return std::any_of(causes.begin(), causes.end(), [](const Cause& cause) { return cause.is_final; });
}

PodWhy pod_why(const FoundPod& pod, WallTime now) { return pod.state ? PodChain(pod, *pod.state, now).result() : PodWhy(); }

std::string pod_text(const FoundPod& pod, const PodWhy& why) {
  const std::string phase = pod.phase.empty() ? "without a phase" : printable(pod.phase, 64);
  std::string detail = why.summary;
  if (detail.ends_with('.') && !detail.ends_with("..")) detail.pop_back();
  if (has_ended(pod) && is_made_again(pod))
    detail += fmt::format("{}its {} makes another", detail.empty() ? "" : "; ", printable(pod.owner->kind, 64));
  return detail.empty() ? phase : fmt::format("{} ({})", phase, detail);
}

bool is_made_again(const FoundPod& pod) {
  if (!pod.owner || pod.owner->kind == "Node") return false;  // a node owns the mirrors of its own pods
  if (pod.phase == "Failed") return true;
  constexpr std::string_view endless[] = {"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"};
  return std::find(std::begin(endless), std::end(endless), pod.owner->kind) != std::end(endless);
}

}  // namespace rollcall
