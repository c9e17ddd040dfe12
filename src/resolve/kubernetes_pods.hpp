// Listing pods: pages, restarts, refusals.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <vector>

#include "resolve/found_pod.hpp"
#include "resolve/kubernetes_server.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// The pods of one namespace (empty: of all) that match `selector`, without those that are being deleted, in the server's order,
/// over all pages. The arguments must outlive the await. Errors: as api_send, and malformed_response, limit_exceeded.
asio::awaitable<Result<std::vector<FoundPod>>> list_pods(Call& call, const KubernetesServer& server, const KubernetesOptions& options,
                                                         const std::string& name_space, const std::string& selector);

}  // namespace rollcall
