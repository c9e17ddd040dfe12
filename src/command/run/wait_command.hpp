// `rollcall wait`.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// Returns the exit code.
int run_wait(Arguments arguments);

}  // namespace rollcall::tools
