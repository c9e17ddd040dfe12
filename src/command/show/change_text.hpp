// A change of a cluster as a line for people, as JSON, and as variables for a command; pure.
#pragma once

#include <string>

#include "command/process/hook.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::tools {

/// `2026-11-22T10:00:00Z member_left worker 3 (10.0.0.5:8470) left`, without a line end.
std::string change_line(const ClusterChange& change, WallTime when);
/// `{"time":…,"change":"member_left","text":…,"member":{"job":…,"index":…,…}}`, without a line end.
std::string change_json(const ClusterChange& change, WallTime when);
/// ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER (JSON), and for a member ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS,
/// ROLLCALL_MEMBER.
HookVariables change_variables(const ClusterChange& change, const ClusterStatus& status);

}  // namespace rollcall::tools
