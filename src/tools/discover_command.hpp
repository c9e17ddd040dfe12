// `rollcall discover`
#pragma once

#include "tools/command_table.hpp"

namespace rollcall::tools {

/// The exit code.
int run_discover(Arguments arguments);

}  // namespace rollcall::tools
