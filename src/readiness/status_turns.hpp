// Statuses of clusters of any size, without holding the loop.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Whether they are equal. Both must outlive the await and stay as they are.
asio::awaitable<bool> is_same_status(const ClusterStatus& a, const ClusterStatus& b);

/// Puts `next` in the place of `status`, whose members are then freed.
asio::awaitable<void> replace_status(ClusterStatus& status, ClusterStatus next);

}  // namespace rollcall
