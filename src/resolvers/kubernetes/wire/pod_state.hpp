// What the status of a pod says of its conditions and containers, as far as it may be why the pod is not ready.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall {

/// One state of a container. Source: Kubernetes API v1, ContainerState. Texts are as the server sends them, and cut.
class ContainerState {
 public:
  enum class Kind : std::uint8_t { none, waiting, running, ended };
  ContainerState() {}
  Kind kind = Kind::none;
  std::string reason;
  std::string message;
  int exit_code = 0;
  int signal = 0;
  std::optional<WallTime> started;
  std::optional<WallTime> finished;
  friend bool operator==(const ContainerState&, const ContainerState&) = default;
};

class PodContainer {
 public:
  PodContainer() {}
  std::string name;
  bool is_init = false;     ///< an init container, or a sidecar
  bool is_sidecar = false;  ///< an init container that runs on beside the others; known only if the spec has been read
  bool is_ready = false;
  bool is_started = true;  ///< false: its startup probe has not succeeded yet
  int restarts = 0;
  ContainerState state;
  ContainerState last;  ///< how its last run ended
  friend bool operator==(const PodContainer&, const PodContainer&) = default;
};

/// A condition that is not True; and DisruptionTarget.
class PodCondition {
 public:
  PodCondition() {}
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<WallTime> since;
  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

/// Kept only of a pod that is not Running and Ready, or is about to leave.
class PodState {
 public:
  PodState() {}
  std::string reason;
  std::string message;
  bool is_leaving = false;                ///< it is being deleted
  std::optional<WallTime> leaves_at;      ///< when its containers are killed, if they have not ended by then
  std::optional<WallTime> leaving_since;  ///< absent: not known
  std::vector<PodCondition> conditions;
  std::vector<PodContainer> containers;  ///< those that are not well, in the server's order
  int main_containers = 0;               ///< all of them, also those that are well
  std::optional<WallTime> last_end;      ///< of any container
  std::optional<WallTime> scheduled;     ///< since when PodScheduled is True
  std::optional<bool> has_sandbox;       ///< condition PodReadyToStartContainers; absent: older servers do not say
  std::optional<WallTime> sandbox_since;
  // Of the spec; empty if it has not been read.
  std::vector<std::string> gates;            ///< scheduling gates
  std::vector<std::string> readiness_gates;  ///< whose conditions are not True
  std::string restart_policy;
  std::string scheduler;
  std::string nominated_node;  ///< where other pods are removed to make room for this one

  /// Null: there is no such condition.
  const PodCondition* condition(std::string_view type) const {
    for (const PodCondition& one : conditions) {
      if (one.type == type) return &one;
    }
    return nullptr;
  }
  friend bool operator==(const PodState&, const PodState&) = default;
};

/// The memory of the state, with that of its texts.
std::size_t memory_of(const PodState& state);

}  // namespace rollcall
