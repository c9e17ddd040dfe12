// `rollcall exec`: waits until a cluster is ready, then starts a program in it.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// Returns the program's exit status where this process stays its parent (128 + n when signal n ended it), 125 when the program could
/// not be started for a reason of ours, 126, 127, or 130 when interrupted before; else this process has become the program.
int run_exec(Arguments arguments);

}  // namespace rollcall::tools
