// Which clusters a service follows, and how each stands: the question of an onlooker.
#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// Asks the servers of RuntimeOptions::server, or of ROLLCALL_SERVER, for the list of GET /v1/clusters: each once, until one answers. The
/// cloud is never asked. May suspend; cancellable. Errors: failed_precondition (no server is named), invalid_argument (what names them is
/// wrong), unauthenticated and permission_denied (the service knows the asker and refuses), unreachable (none answers),
/// malformed_response, limit_exceeded; cancelled, and those of the deadline.
asio::awaitable<Result<std::vector<FleetCluster>>> try_list_fleet(Runtime runtime, CallOptions options = {});

}  // namespace rollcall
