// The status of a cluster's pods, explained by what stands around them.
#pragma once

#include <asio/awaitable.hpp>

#include "resolvers/kubernetes/chain/chain_request.hpp"
#include "rollcall/call.hpp"
#include "rollcall/explained_status.hpp"

namespace rollcall {

/// Of a cluster that is ready only the nodes are read. All references must outlive the await. Errors: cancelled.
asio::awaitable<Result<ExplainedStatus>> explain_pods(Call& call, const ChainSource& source, ClusterStatus status);

}  // namespace rollcall
