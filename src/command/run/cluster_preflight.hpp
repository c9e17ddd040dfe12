// The parts of `rollcall preflight` that are about a cluster.
#pragma once

#include <asio/awaitable.hpp>
#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "command/ask/question_options.hpp"
#include "command/run/command_session.hpp"
#include "rollcall/preflight.hpp"

namespace rollcall::command {

/// Checks this host, meets the others, and ends with the verdict of all. `options` name the run, and for how long the others are awaited.
/// All references must outlive the await; cancellable.
asio::awaitable<Result<PreflightVerdict>> preflight_here(const Arguments& arguments, CommandSession& session, ClusterSpec spec,
                                                         LaunchedTask own, PreflightOptions options, const QuestionOptions& shared);

/// `rollcall preflight TARGET`, on each host: checks this host, and the ways to the others. Returns the exit code.
int run_cluster_preflight(const Arguments& arguments);
/// `rollcall preflight --judge FILE`: the verdict on evidence that was saved.
int judge_saved_evidence(const Arguments& arguments);

}  // namespace rollcall::command
