// A pod as a task: judged, addressed, put in order. Pure.
#pragma once

#include <string>
#include <vector>

#include "resolve/pod_position.hpp"
#include "rollcall/error.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall {

/// What is kept of a pod until all of its selector are there.
class FoundPod {
 public:
  FoundPod() {}
  std::string name;
  std::string name_space;
  std::string uid;
  std::string version;
  std::string phase;
  std::string trouble;
  std::string message;
  bool is_ready = false;
  std::string address;        ///< of the wanted kind and family; empty when it has none
  std::string other_address;  ///< of another family, when it has none of the wanted
  PodPosition position;
};

/// Its phase says that it will not run again, whether it went well or not.
bool has_ended(const FoundPod& pod);

/// Moves from `pod` what is too long to be copied at no cost.
FoundPod found_pod(Pod& pod, PodAddress address, AddressFamily family);

/// The addresses, with the port, in the order of `order`. Errors: not_ready, malformed_response, failed_precondition (no address
/// of the family; no index), conflict; the first pod in order of names is named.
Result<std::vector<std::string>> pod_addresses(const std::vector<FoundPod>& pods, const KubernetesOptions& options);

}  // namespace rollcall
