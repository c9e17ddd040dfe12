// Runs the machine's programs by ChildProcess.
#pragma once

#include <memory>

#include "rollcall/program_runner.hpp"

namespace rollcall {

/// system_programs(); `watches_end`: see ChildProcess::start.
std::shared_ptr<ProgramRunner> make_system_programs(bool watches_end);

}  // namespace rollcall
