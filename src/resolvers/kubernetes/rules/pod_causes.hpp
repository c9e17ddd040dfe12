// Why a pod is not ready, by what the pod says itself. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class PodWhy {
 public:
  PodWhy() {}
  /// The outermost layer first; none for a pod that is Running and Ready and stays.
  std::vector<Cause> causes;
  /// The innermost cause in one text, with the container's name where there are several: `OOMKilled, exit code 137`. May be empty.
  std::string summary;
  /// When the same pod gives other causes, since a grace ends.
  std::optional<WallTime> changes_at;

  bool is_final() const;
};

/// `now`: an image that is not found may still be pushed for some minutes, a scheduler needs some seconds to look at a pod.
PodWhy pod_why(const FoundPod& pod, WallTime now);

/// The phase and why it is so: `Pending (ImagePullBackOff of init container fetch: not found)`.
std::string pod_text(const FoundPod& pod, const PodWhy& why);

/// True if a controller makes another pod in the place of this one when it has ended. A Job does so only for a pod that has failed
/// [facts: k8s-replaced-pods].
bool is_made_again(const FoundPod& pod);

}  // namespace rollcall
