// The timeline of a run in Chrome's trace event format, as chrome://tracing and ui.perfetto.dev read it; pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/show/recorded_event.hpp"

namespace rollcall::tools {

/// `events` in order of time. Every call, request, phase, wait and token refresh becomes a complete event ("ph":"X", times
/// in microseconds from the first event). What overlaps in time lies on lanes of its own (tid), so that the events of
/// one lane always nest; what never ended ends at `end`. `dropped`: how many there were before them, which the trace tells.
std::string render_trace(const std::vector<RecordedEvent>& events, SteadyTime end, std::uint64_t dropped = 0);

}  // namespace rollcall::tools
