// The scenarios of the sweep.
#pragma once

#include <vector>

#include "scenario/sweep.hpp"

namespace rollcall::testing {

std::vector<Scenario> scenarios();

}  // namespace rollcall::testing
