// Requests for objects of the API server.
#pragma once

#include <string>

#include "call/api_client.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall {

/// A GET of `path`, which begins after the server's root: `api/v1/nodes/g1`. `what` begins the messages.
ApiRequest kubernetes_request(const KubernetesServer& server, std::string path, std::string what);

}  // namespace rollcall
