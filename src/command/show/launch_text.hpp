// Launch contracts on standard output.
#pragma once

#include <vector>

#include "command/arguments/targets.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// Prints it, or says why it cannot be had; `is_quiet`: without notes. Returns the exit code.
int print_launch(LaunchFormat format, const LaunchFacts& facts, bool is_quiet);

/// By which rule each target's tasks are in order, a line each on standard error: for --verbose.
void tell_order(const std::vector<ClusterPart>& parts);

}  // namespace rollcall::command
