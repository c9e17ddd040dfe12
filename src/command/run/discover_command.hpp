// `rollcall discover`
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// The exit code.
int run_discover(Arguments arguments);

}  // namespace rollcall::tools
