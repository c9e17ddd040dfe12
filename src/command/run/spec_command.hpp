// `rollcall spec`.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// Asks, prints, and returns the exit code.
int run_spec(Arguments arguments);

}  // namespace rollcall::tools
