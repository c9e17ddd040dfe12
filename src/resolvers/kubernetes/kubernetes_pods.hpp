// Lists pods: pages, restarts, refusals.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "call/api_client.hpp"
#include "json/memory_share.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// Pods, and the cluster version of the list.
class FoundPods {
 public:
  FoundPods() {}
  explicit FoundPods(std::shared_ptr<MemoryAccount> account) : memory(std::move(account)) {}
  FoundPodList pods;
  std::string resource_version;
  MemoryShare memory;  ///< of the pods
};

/// The server and namespace of pods, and the options for reading them.
class PodScope {
 public:
  /// `by` must outlive the scope.
  PodScope(const KubernetesOptions& by, KubernetesServer at, std::string within)
      : options(by), server(std::move(at)), namespace_name(std::move(within)) {}
  const KubernetesOptions& options;
  KubernetesServer server;
  std::string namespace_name;  ///< empty: all namespaces
};

/// `in namespace 'train'`, or `in all namespaces` if there is no name.
std::string of_namespace(const std::string& namespace_name);

/// The request for the scope's pods that match `selector`. More parameters may be appended to its URL.
ApiRequest pods_request(const PodScope& scope, const std::string& selector);
/// A refusal names the missing rights, such as `list pods`, and prints the Role with the `rules` that grant them.
Failure explained_refusal(Failure failure, const PodScope& scope, std::string_view wanted, std::string_view rules);
/// The same for rights to `verb` pods.
Failure explained_pods(Failure failure, const PodScope& scope, std::string_view verb);

using PodPredicate = std::function<bool(const FoundPod& pod)>;

/// The scope's pods that match `selector`, in the server's order, over all pages; of those that are being deleted only the ones that have
/// not ended, and with PodDetail::address none. With `is_kept`, only the pods for which it is true. The arguments must outlive the await.
/// Errors: as api_send, and malformed_response, limit_exceeded.
asio::awaitable<Result<FoundPods>> list_pods(Call& call, const PodScope& scope, const std::string& selector,
                                             PodDetail detail = PodDetail::address, PodPredicate is_kept = PodPredicate());

}  // namespace rollcall
