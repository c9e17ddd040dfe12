// `rollcall wait`.
#pragma once

#include "rollcall/wait.hpp"
#include "tools/command_table.hpp"

namespace rollcall::tools {

/// What the arguments say of a wait.
WaitOptions wait_options(const Arguments& arguments, const CallOptions& question);

/// Returns the exit code.
int run_wait(Arguments arguments);

}  // namespace rollcall::tools
