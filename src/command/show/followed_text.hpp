// A change of a watched cluster, as a line for people and as variables for a command. Pure.
#pragma once

#include <string>

#include "command/process/hook.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {

/// `2026-11-22T10:00:00Z member_left worker 3 (10.0.0.5:8470) left`, without a line end.
std::string change_line(const ClusterChange& change, WallTime when);
/// ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER (JSON), and for a member ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS,
/// ROLLCALL_MEMBER.
HookVariables change_variables(const ClusterChange& change, const ClusterStatus& status);

}  // namespace rollcall::command
