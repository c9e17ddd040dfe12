// The API server that a kubeconfig names.
#pragma once

#include <optional>

#include "resolvers/kubernetes/kubernetes_server.hpp"

namespace rollcall {

/// From the file of the options, else those of $KUBECONFIG, else ~/.kube/config; none when no file is named and there is none.
/// Errors: as find_kubernetes.
Result<std::optional<KubernetesServer>> find_in_kubeconfig(const Environment& environment, const Files& files,
                                                           const KubernetesOptions& options);

}  // namespace rollcall
