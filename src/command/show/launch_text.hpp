// Launch contracts on standard output.
#pragma once

#include "rollcall/launch.hpp"

namespace rollcall::tools {

/// Prints it, or says why it cannot be had. Returns the exit code.
int print_launch(LaunchFormat format, const LaunchFacts& facts);

}  // namespace rollcall::tools
