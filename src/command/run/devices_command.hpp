// `rollcall devices`: the accelerators of clusters.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::tools {

/// The exit code.
int run_devices(Arguments arguments);

}  // namespace rollcall::tools
