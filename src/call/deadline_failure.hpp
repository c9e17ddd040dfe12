// The failure of a call whose deadline has passed.
#pragma once

#include <string>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The failure of a call about `subject` whose deadline has passed, by its state at that time; `hint`: its last failure's, if it has one.
Failure deadline_failure(const CallState& state, const std::string& subject, Duration timeout, const std::string& hint = {});

}  // namespace rollcall
