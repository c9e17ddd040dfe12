// `rollcall topology`.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// Looks the type up, or asks for the TPU's; prints, draws, and returns the exit code.
int run_topology(Arguments arguments);

}  // namespace rollcall::tools
