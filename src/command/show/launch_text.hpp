// Launch contracts on standard output.
#pragma once

#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// Prints it, or the failure; `is_quiet`: without notes. Returns the exit code.
int print_launch(LaunchFormat format, const LaunchFacts& facts, bool is_quiet);

/// Says which machines' accelerators are not known where the form counts them; none: a list of hosts. False: they are all known.
bool report_unknown_accelerators(const LaunchFacts& facts, std::optional<LaunchFormat> format);

/// For --verbose: prints on standard error, a line for each target, the rule by which its tasks are ordered.
void print_task_order(const std::vector<ClusterPart>& parts);

}  // namespace rollcall::command
