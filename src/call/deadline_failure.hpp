// What is said when the time of a call is over.
#pragma once

#include <string>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// What a call about `subject` fails with when its time is over, by what is known of it then; `hint`: its last failure's, if it has one.
Failure deadline_failure(const CallState& state, const std::string& subject, Duration timeout, const std::string& hint = {});

}  // namespace rollcall
