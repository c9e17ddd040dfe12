// The checks of this host and the meeting with the others, as the command and the sessions of other programs ask for them.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "command/arguments/parse_arguments.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/check_host.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/preflight.hpp"

namespace rollcall::command {

/// How this host is checked, by the options of a command. Errors: invalid_argument.
Result<CheckHostOptions> host_checks_of(const Arguments& arguments);

/// For PreflightOptions::blocks(): the parts of a job of several, such as slices, by its members.
std::map<std::string, std::string> blocks_by_service(const std::vector<Member>& members);

/// Hands each progress on as JSON, in which the members that are there stay as they were last known while other things happen.
void report_progress(PreflightOptions& options, std::function<void(std::string json)> send);

/// Checks this host, meets the others, and ends with the verdict of all. `options` name the run, and for how long the others are awaited;
/// what is known of this host is added. May suspend; cancellable. Errors: those of try_check_host() and try_preflight_cluster().
asio::awaitable<Result<PreflightVerdict>> check_and_meet(Runtime runtime, CheckHostOptions checks, ClusterSpec spec, LaunchedTask own,
                                                         PreflightOptions options, QuestionOptions shared);

}  // namespace rollcall::command
