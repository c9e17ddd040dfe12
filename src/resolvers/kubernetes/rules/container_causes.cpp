#include "resolvers/kubernetes/rules/container_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/both_ends.hpp"
#include "base/last_line.hpp"
#include "base/saturating.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/rules/pod_causes.hpp"

namespace rollcall {
namespace {

// Until then an image that the registry does not have may still be on its way there.
constexpr Duration image_grace = std::chrono::minutes(5);
// A restart that is as old as the longest back-off of the kubelet, and its reset, says nothing any more.
constexpr Duration restart_memory = std::chrono::minutes(10);

// [facts: k8s-waiting-reasons]
constexpr std::array<std::string_view, 7> image_reasons = {
    "ErrImagePull",      "ImagePullBackOff",    "InvalidImageName",         "ErrImageNeverPull",
    "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"};

bool is_among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// True if the registry says that it does not have the image. What it says without the right to pull does not count, nor that something
// else on the way to it is not found: its host, the proxy, the secret for it.
bool says_not_found(std::string_view message) {
  constexpr std::string_view others[] = {"authoriz", "denied", "credential",   "secret",
                                         "lookup ",  "dial ",  "proxyconnect", "failed to do request"};
  const bool is_of_other =
      std::any_of(std::begin(others), std::end(others), [message](std::string_view one) { return mentions(message, one); });
  if (is_of_other) return false;
  const bool is_said = mentions(message, "code = NotFound") || mentions(message, "manifest unknown") ||
                       mentions(message, "MANIFEST_UNKNOWN") || mentions(message, "name unknown") || mentions(message, "NAME_UNKNOWN") ||
                       mentions(message, "does not exist");
  return is_said || message.ends_with("not found");
}

// What the registry or the runtime says, without the words that the layers around it put before it.
std::string_view pull_words(std::string_view message) {
  constexpr std::pair<std::string_view, std::string_view> layers[] = {
      {"Back-off pulling image \"", "\": "},      {"ErrImagePull: ", ""},
      {"rpc error: code = ", " desc = "},         {"failed to pull and unpack image \"", "\": "},
      {"failed to resolve reference \"", "\": "}, {"Error response from daemon: ", ""},
  };
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (const auto& [begin, end] : layers) {
      if (!message.starts_with(begin)) continue;
      const std::size_t at = message.find(end, begin.size());
      if (at == std::string_view::npos || at + end.size() == message.size()) continue;
      message.remove_prefix(at + end.size());
      is_cut = true;
    }
  }
  return message;
}

std::string shown_container(const PodContainer& container) {
  return fmt::format("{} {}", container.is_init ? "init container" : "container", printable(container.name, 64));
}

std::string restart_words(int restarts) {
  if (restarts <= 0) return {};
  return restarts == 1 ? std::string("restarted once") : fmt::format("restarted {} times", restarts);
}

std::string in_one_text(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

// `OOMKilled, exit code 137`; "Error" says no more than the code does.
std::string last_end_words(const PodContainer& container) {
  if (container.last.kind != ContainerState::Kind::ended) return {};
  const std::string reason = container.last.reason == "Error" ? std::string() : printable(container.last.reason, 64);
  return in_one_text({reason, end_words(container.last)});
}

// What an init container waits for that a controller has put into the pod: KubeRay, the training operator, Volcano.
std::string waiting_words(std::string_view container) {
  if (container == "wait-gcs-ready") return "running, until the head of the Ray cluster answers";
  if (container == "init-pytorch") return "running, until the name of the master is found";
  if (container == "wait-for-master") return "running, until the master answers";
  return "running";
}

std::string reason_or(const ContainerState& state, std::string_view other) {
  return state.reason.empty() ? std::string(other) : printable(state.reason, 64);
}

class Judgement {
 public:
  Judgement(const PodContainer& container, const FoundPod& pod, WallTime now) : container_(container), pod_(pod), now_(now) {
    trouble_.cause.object = shown_container(container);
    trouble_.cause.layer = container.is_init ? CauseLayer::init : CauseLayer::container;
  }

  std::optional<ContainerTrouble> result() {
    bool holds = true;
    switch (container_.state.kind) {
      case ContainerState::Kind::waiting: take_waiting(); break;
      case ContainerState::Kind::running: holds = take_running(); break;
      case ContainerState::Kind::ended: take_ended(); break;
      case ContainerState::Kind::none: return std::nullopt;
    }
    return holds ? std::optional(std::move(trouble_)) : std::nullopt;
  }

 private:
  void set(TroubleWeight weight, std::string code, std::string text, std::optional<WallTime> since) {
    trouble_.weight = weight;
    trouble_.cause.code = std::move(code);
    trouble_.cause.text = std::move(text);
    trouble_.cause.since = since;
  }

  void take_waiting() {
    const std::string& reason = container_.state.reason;
    const std::string& message = container_.state.message;
    if (std::find(image_reasons.begin(), image_reasons.end(), reason) != image_reasons.end()) return take_image();
    if (reason == "CrashLoopBackOff") {
      const std::optional<WallTime> since = container_.last.finished ? container_.last.finished : unready_since(pod_);
      return set(TroubleWeight::broke, reason, in_one_text({last_end_words(container_), restart_words(container_.restarts)}), since);
    }
    const bool is_early = reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
    if (is_early && message.empty()) {
      const std::optional<bool> has_sandbox = pod_.state->has_sandbox;
      if (has_sandbox && !container_.is_init && reason == "ContainerCreating")
        trouble_.cause.layer = *has_sandbox ? CauseLayer::image : CauseLayer::volume;
      return set(TroubleWeight::follows, reason_or(container_.state, "Waiting"), {}, unready_since(pod_));
    }
    set(is_early ? TroubleWeight::passes : TroubleWeight::blocks, reason_or(container_.state, "Waiting"), kubernetes_words(message),
        unready_since(pod_));
  }

  void take_image() {
    const std::string_view message = container_.state.message;
    std::optional<WallTime> since = unready_since(pod_);
    for (const std::optional<WallTime>& later : {pod_.state->sandbox_since, pod_.state->last_end}) {
      if (later && (!since || *since < *later)) since = later;
    }
    trouble_.cause.layer = CauseLayer::image;
    set(TroubleWeight::blocks, container_.state.reason, kubernetes_words(pull_words(message)), since);
    if (container_.state.reason == "InvalidImageName") trouble_.cause.is_final = true;
    if (!is_among(container_.state.reason, {"ErrImagePull", "ImagePullBackOff"}) || !since || !says_not_found(message)) return;
    const WallTime end = saturating_sum(*since, image_grace);
    trouble_.cause.is_final = now_ >= end;
    if (!trouble_.cause.is_final) trouble_.final_at = end;
  }

  bool take_running() {
    if (container_.is_init && !container_.is_sidecar) {
      set(TroubleWeight::passes, "PodInitializing", waiting_words(container_.name), container_.state.started);
      return true;
    }
    if (container_.is_init && !container_.is_started) {
      set(TroubleWeight::passes, "PodInitializing", "running, its startup probe has not succeeded", container_.state.started);
      return true;
    }
    if (container_.is_ready) return false;
    const bool is_back = container_.restarts > 0 && container_.last.kind == ContainerState::Kind::ended && container_.last.finished &&
                         now_ < saturating_sum(*container_.last.finished, restart_memory);
    if (is_back) {
      set(TroubleWeight::broke, reason_or(container_.last, "Error"),
          in_one_text({end_words(container_.last), restart_words(container_.restarts)}), container_.last.finished);
      return true;
    }
    trouble_.cause.layer = CauseLayer::readiness;
    set(TroubleWeight::passes, "ContainersNotReady",
        fmt::format("its {} probe has not succeeded", container_.is_started ? "readiness" : "startup"), unready_since(pod_));
    return true;
  }

  void take_ended() {
    const ContainerState& end = container_.state;
    const bool is_good = end.exit_code == 0 && end.signal == 0;
    set(is_good ? TroubleWeight::passes : TroubleWeight::broke, reason_or(end, is_good ? "Completed" : "Error"),
        in_one_text({end_words(end), restart_words(container_.restarts)}), end.finished);
    trouble_.cause.is_final = stays_ended(pod_, end) && !pod_.owner;
  }

  const PodContainer& container_;
  const FoundPod& pod_;
  WallTime now_;
  ContainerTrouble trouble_;
};

}  // namespace

std::optional<ContainerTrouble> container_trouble(const PodContainer& container, const FoundPod& pod, WallTime now) {
  return Judgement(container, pod, now).result();
}

std::string end_words(const ContainerState& end) {
  std::string text =
      end.signal != 0 && end.exit_code == 0 ? fmt::format("signal {}", end.signal) : fmt::format("exit code {}", end.exit_code);
  const std::string_view words = last_line(end.message);
  if (!words.empty()) text += ": " + both_ends(without_secrets(words), 200);
  return text;
}

std::optional<WallTime> unready_since(const FoundPod& pod) {
  const PodCondition* const ready = pod.state ? pod.state->condition("Ready") : nullptr;
  return ready && ready->since ? ready->since : pod.created;
}

void keep_pull_words(FoundPod& pod, const FoundPod& before) {
  if (!pod.state || !before.state || pod.uid != before.uid) return;
  const auto is_pulling = [](const PodContainer& one) {
    return one.state.kind == ContainerState::Kind::waiting && is_among(one.state.reason, {"ErrImagePull", "ImagePullBackOff"});
  };
  std::optional<PodState> state;
  for (std::size_t i = 0; i < std::min(pod.state->containers.size(), before.state->containers.size()); ++i) {
    const PodContainer& now = pod.state->containers[i];
    const PodContainer& then = before.state->containers[i];
    if (now.name != then.name || !is_pulling(now) || !is_pulling(then)) continue;
    if (now.state.message.size() >= then.state.message.size()) continue;
    if (!state) state = *pod.state;
    state->containers[i].state.message = then.state.message;
  }
  if (state) pod.state = std::move(state);
}

bool stays_ended(const FoundPod& pod, const ContainerState& end) {
  if (!pod.state) return false;
  const std::string& policy = pod.state->restart_policy;
  return policy == "Never" || (policy == "OnFailure" && end.exit_code == 0 && end.signal == 0);
}

}  // namespace rollcall
