// The progress of a barrier, for a program that reads standard error.
#pragma once

#include <string>

#include "rollcall/barrier.hpp"

namespace rollcall::command {

/// One object; report_json() adds the time.
std::string barrier_json(const BarrierProgress& progress);

}  // namespace rollcall::command
