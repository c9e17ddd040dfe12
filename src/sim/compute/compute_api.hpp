// The Compute Engine API, v1: instances and instance groups. Read-only.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

Reply answer_compute(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

}  // namespace rollcall::sim
