// The parts of `rollcall preflight` that are about a cluster.
#pragma once

#include "command/arguments/parse_arguments.hpp"
#include "rollcall/check_host.hpp"

namespace rollcall::command {

/// `rollcall preflight TARGET`, on each host: checks this host as `host` says, and the ways to the others. Returns the exit code.
int run_cluster_preflight(const Arguments& arguments, CheckHostOptions host);
/// `rollcall preflight --judge FILE`: the verdict on evidence that was saved.
int judge_saved_evidence(const Arguments& arguments);

}  // namespace rollcall::command
