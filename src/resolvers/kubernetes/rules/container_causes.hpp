// Why one container of a pod is not ready. Pure.
#pragma once

#include <optional>

#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// How much the trouble of a container says: what only follows from another container's trouble says nothing.
enum class TroubleWeight : std::uint8_t {
  follows,  ///< ContainerCreating, PodInitializing: it waits for something else
  passes,   ///< what takes its time: an init container runs, a probe has not succeeded yet
  blocks,   ///< what keeps the container from starting
  broke,    ///< it ended with an error
};

class ContainerTrouble {
 public:
  ContainerTrouble() {}
  Cause cause;
  TroubleWeight weight = TroubleWeight::follows;
  std::optional<WallTime> final_at;  ///< when the cause becomes final if nothing changes
};

/// Of a container that is not well; none if it holds up nothing. `now`: as pod_why().
std::optional<ContainerTrouble> container_trouble(const PodContainer& container, const FoundPod& pod, WallTime now);

/// How the container ended: `exit code 137: last words`.
std::string end_words(const ContainerState& end);

/// A message of Kubernetes, bounded, printable, without what looks like a secret.
std::string kubernetes_words(std::string_view message);

/// Since when the pod is not ready; else its beginning.
std::optional<WallTime> unready_since(const FoundPod& pod);

/// While an image cannot be pulled, ErrImagePull with the cause and ImagePullBackOff alternate, and servers before 1.31 give the latter no
/// cause: the longer text of the two is kept.
void keep_pull_words(FoundPod& pod, const FoundPod& before);

/// True if the pod's spec says that a container that has ended so is not started again.
bool stays_ended(const FoundPod& pod, const ContainerState& end);

}  // namespace rollcall
