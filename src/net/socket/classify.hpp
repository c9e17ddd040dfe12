// How an operation ended: cancelled, timed out (in which phase), or failed. The one place that tells them apart.
#pragma once

#include <system_error>

#include "rollcall/error.hpp"

namespace rollcall {

/// The verdict on an operation of `phase` that ended with the error `ec` (which must be set). The first that applies:
/// the caller cancelled → cancelled; the call's deadline passed → deadline_exceeded; the phase's own timer fired → that
/// phase's time-out; otherwise what the error itself says. So an error that arrives in the same turn as a cancellation is
/// reported as the cancellation, and a phase's timer that fires at the deadline as the deadline.
/// Errors of the system and of other categories are recognised through their std::errc condition only, see system_error.hpp.
Errc classify_end(std::error_code ec, bool is_cancelled_by_caller, bool is_deadline_passed, Phase phase, bool is_phase_timed_out) noexcept;

/// The time-out code of a phase; deadline_exceeded for those without one.
Errc timeout_of(Phase phase) noexcept;

}  // namespace rollcall
