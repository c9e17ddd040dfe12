// The status of a cluster that a list names, or the surroundings, and of which nobody is asked.
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

/// What the default do_cluster_status() answers, with members that are listed and not asked.
asio::awaitable<Result<ClusterStatus>> listed_status(asio::awaitable<Result<ClusterStatus>> usual);

}  // namespace rollcall
