// The status of a cluster whose members come from a list or the environment, without requests to a service.
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

/// The result of `usual`, the default do_cluster_status(), with a state text that marks each member as listed only.
asio::awaitable<Result<ClusterStatus>> listed_status(asio::awaitable<Result<ClusterStatus>> usual);

}  // namespace rollcall
