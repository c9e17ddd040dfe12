// Barriers, for programs.
#pragma once

#include <string>

#include "rollcall/barrier.hpp"
#include "rollcall/barrier_list.hpp"

namespace rollcall::command {

/// One object; report_json() adds the time.
std::string barrier_json(const BarrierProgress& progress);
/// One object.
std::string listed_barrier_json(const ListedBarrier& barrier);

}  // namespace rollcall::command
