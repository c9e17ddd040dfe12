// The lease as a Lease of a Kubernetes cluster: nothing to install there, and rights for one object.
#pragma once

#include <memory>
#include <string>

#include "lease/lease.hpp"

namespace rollcall::lease {

class KubernetesLeaseOptions {
 public:
  KubernetesLeaseOptions() {}
  std::string namespace_name;     ///< empty: the context's, or the pod's own
  std::string name = "rollcall";
  std::string context;            ///< of the kubeconfig; empty: its current one, or the cluster this runs in
};

/// Sends nothing yet. Errors: invalid_argument, of the options.
Result<std::shared_ptr<LeaseEngine>> make_kubernetes_lease(KubernetesLeaseOptions options);

}  // namespace rollcall::lease
