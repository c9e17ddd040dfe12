// `rollcall watch`.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// Returns the exit code.
int run_watch(Arguments arguments);

}  // namespace rollcall::tools
