// Launch contracts on standard output.
#pragma once

#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// Prints the cluster in the form `format`, or the failure. `is_quiet`: prints no notes. Returns the exit code.
int print_launch(LaunchFormat format, const LaunchFacts& facts, bool is_quiet);

/// Where the form counts accelerators, reports the machines whose number is not known. `format` is absent for a list of hosts. Returns
/// false if all are known.
bool report_unknown_accelerators(const LaunchFacts& facts, std::optional<LaunchFormat> format);

/// For --verbose: prints on standard error, a line for each target, the rule by which its tasks are ordered.
void print_task_order(const std::vector<ClusterPart>& parts);

}  // namespace rollcall::command
