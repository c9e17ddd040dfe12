// The library's events as log lines for programs; pure. The form is documented in docs/command.md and stable.
#pragma once

#include <string>

#include "rollcall/log.hpp"

namespace rollcall {

/// One object without a line end. `started`: time zero of `at_us`.
std::string render_event_json(const Event& event, SteadyTime started);

}  // namespace rollcall
