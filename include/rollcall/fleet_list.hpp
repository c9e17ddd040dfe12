// The list of the clusters that a service follows, with their states, and that of its replicas.
#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/fleet_replicas.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// Requests GET /v1/clusters from the servers of RuntimeOptions::server, or of ROLLCALL_SERVER: each once, until one answers. The cloud is
/// never contacted. May suspend; cancellable. Errors: failed_precondition (no server is configured), invalid_argument (the configuration of
/// the servers is wrong), unauthenticated and permission_denied (the service knows the client and denies the request), unreachable (no
/// server answers), malformed_response, limit_exceeded; cancelled, and those of the deadline.
asio::awaitable<Result<std::vector<FleetCluster>>> try_list_fleet(Runtime runtime, CallOptions options = {});

/// The same of GET /v1/replicas. One that is alone, or does not show its replicas to this client, has none.
asio::awaitable<Result<FleetReplicas>> try_list_replicas(Runtime runtime, CallOptions options = {});

}  // namespace rollcall
