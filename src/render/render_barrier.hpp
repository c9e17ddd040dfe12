// Barriers as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/barrier_progress.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Appends the members of an object, without a comma in front: `"here":1,"total":2,"missing":[…]`. `now`: when the progress was learnt.
void append_barrier_members(std::string& out, const BarrierProgress& progress, WallTime now);
/// One object: `{"stage":"barrier","here":1,"total":2,"missing":[…],"trouble":"","line":"1/2 here · …"}`.
std::string render_barrier_json(const BarrierProgress& progress, WallTime now);
/// The same of a preflight: the members that are there, as last known, and what happens now.
std::string render_preflight_progress_json(const BarrierProgress& progress, std::string_view line, WallTime now);

}  // namespace rollcall
