// Which task of a cluster runs on this machine.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "launch/job_environment.hpp"

namespace rollcall::tools {

/// As a target tells whose surroundings know; else by this machine's addresses. None: neither tells, for a task is never guessed. `spec`:
/// all `parts` as one cluster. A part is asked for its own cluster where other parts' tasks stand before its own, of the same job. May
/// suspend; cancellable. Errors: what the surroundings say of the task makes no sense, and those of the part that was asked.
asio::awaitable<Result<std::optional<LaunchedTask>>> find_own_task(ClusterSpec spec, std::vector<ClusterPart> parts, CallOptions options);

}  // namespace rollcall::tools
