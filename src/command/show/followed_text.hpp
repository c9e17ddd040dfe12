// What is told of a cluster that is followed: a wait as a table for a terminal and as JSON for a program; a change as a line for people, as
// JSON, and as variables for a command. Pure.
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

/// A line on the whole, and one for each missing member, the longest missing first; at most `height` lines of at most `width` columns.
std::vector<std::string> wait_table(const ShownProgress& progress, SteadyTime now, std::size_t width, std::size_t height);

/// One object, without a line end: `{"at_ms":…,"ready":31,"total":32,"phase":"running","state":"","missing":[…],"trouble":"","line":"…"}`.
/// At most 10,000 entries are listed; `missing_more` counts the others.
std::string wait_json(const WaitProgress& progress);

/// `{"phase":"running","state":{"level":"ready","text":"READY"},…,"cluster":{…},"expected":4,"members":[…]}`, without a line end.
std::string status_json(const ClusterStatus& status);

/// `2026-11-22T10:00:00Z member_left worker 3 (10.0.0.5:8470) left`, without a line end.
std::string change_line(const ClusterChange& change, WallTime when);
/// `{"time":…,"change":"member_left","text":…,"member":{"job":…,"index":…,…}}`, without a line end.
std::string change_json(const ClusterChange& change, WallTime when);
/// ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER (JSON), and for a member ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS,
/// ROLLCALL_MEMBER.
HookVariables change_variables(const ClusterChange& change, const ClusterStatus& status);

}  // namespace rollcall::tools
