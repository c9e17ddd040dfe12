// `rollcall sim`.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// Serves until SIGINT or SIGTERM, or in the background, and returns the exit code.
int run_sim(const Arguments& arguments);

}  // namespace rollcall::tools
