// Which task of the cluster a program is that is started on this machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command/arguments/targets.hpp"
#include "render/job_environment.hpp"

namespace rollcall::tools {

/// The addresses of its interfaces, loopback left out, and its host name. Empty when they cannot be read.
std::vector<std::string> own_addresses();

/// As a target tells whose surroundings know; else by this machine's addresses. None: neither tells, for a task is never guessed. `spec`:
/// all `parts` as one cluster. `ask`: a part's own cluster; asked where other parts' tasks stand before its own, of the same job. Errors:
/// what the surroundings say of the task makes no sense, and those of `ask`.
Result<std::optional<LaunchedTask>> find_program_task(const ClusterSpec& spec, const std::vector<ClusterPart>& parts,
                                                      const std::function<Result<ClusterSpec>(const ClusterPart&)>& ask);

}  // namespace rollcall::tools
