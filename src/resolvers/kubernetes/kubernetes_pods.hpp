// Listing pods: pages, restarts, refusals.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "call/api_client.hpp"
#include "json/memory_share.hpp"
#include "resolvers/kubernetes/found_pod.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// Pods, and the version of the cluster in which they were so.
class FoundPods {
 public:
  FoundPods() {}
  explicit FoundPods(std::shared_ptr<MemoryAccount> account) : memory(std::move(account)) {}
  FoundPodList pods;
  std::string resource_version;
  MemoryShare memory;  ///< of the pods
};

/// A question about the pods of one namespace (empty: of all) that match `selector`; more parameters may be appended to its URL.
ApiRequest pods_request(const KubernetesServer& server, const std::string& name_space, const std::string& selector);
/// A refusal says which rights are wanted (`verb` pods) and prints the Role that grants them.
Failure explained_pods(Failure failure, const KubernetesServer& server, const std::string& name_space, std::string_view verb);

using PodPredicate = std::function<bool(const FoundPod& pod)>;

/// The pods of one namespace (empty: of all) that match `selector`, without those that are being deleted, in the server's order,
/// over all pages; with `is_kept`, only those. The arguments must outlive the await. Errors: as api_send, and malformed_response,
/// limit_exceeded.
asio::awaitable<Result<FoundPods>> list_pods(Call& call, const KubernetesServer& server, const KubernetesOptions& options,
                                             const std::string& name_space, const std::string& selector,
                                             PodDetail detail = PodDetail::address, PodPredicate is_kept = PodPredicate());

}  // namespace rollcall
