// Barriers, for programs.
#pragma once

#include <string>

#include "rollcall/barrier.hpp"
#include "rollcall/barrier_list.hpp"
#include "rollcall/time.hpp"

namespace rollcall::command {

/// One object.
std::string listed_barrier_json(const ListedBarrier& barrier, WallTime now);

}  // namespace rollcall::command
