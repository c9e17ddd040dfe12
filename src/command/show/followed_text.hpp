// What is told of a cluster that is followed: a wait as a table for a terminal; a change as a line for people and as variables for a
// command. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/process/hook.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::tools {

/// What a table can show of a wait, however large the cluster: those who have been missing longest.
class ShownProgress {
 public:
  ShownProgress() {}
  ShownProgress(const WaitProgress& progress);
  WaitProgress head;  ///< without members, the longest missing first
  std::int64_t count = 0;  ///< of all who are missing
};

/// At most `width` bytes of a line; not through the middle of a character.
std::string cut_line(std::string line, std::size_t width);

/// A line on the whole, and one for each missing member, the longest missing first; at most `height` lines of at most `width` columns.
std::vector<std::string> wait_table(const ShownProgress& progress, SteadyTime now, std::size_t width, std::size_t height);

/// `2026-11-22T10:00:00Z member_left worker 3 (10.0.0.5:8470) left`, without a line end.
std::string change_line(const ClusterChange& change, WallTime when);
/// ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER (JSON), and for a member ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS,
/// ROLLCALL_MEMBER.
HookVariables change_variables(const ClusterChange& change, const ClusterStatus& status);

}  // namespace rollcall::tools
