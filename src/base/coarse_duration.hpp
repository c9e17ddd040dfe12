// Lengths of time as people read them.
#pragma once

#include <string>

#include "rollcall/time.hpp"

namespace rollcall {

/// `0.4 s`, `12 s`, `2 m 10 s`, `1 h 3 m`, `2 d 4 h`: two units at most.
std::string coarse_duration_text(Duration duration);

}  // namespace rollcall
