// Events for people and for programs, one line each; pure.
#pragma once

#include <string>

#include "rollcall/log.hpp"

namespace rollcall::tools {

/// What --verbose prints, without a line end; empty for events that are not worth a line. `started`: time zero of the
/// first column. `max_attempts`: requests that one question may cost.
std::string event_text(const Event& event, SteadyTime started, int max_attempts);

/// What is said of an event omitted without --verbose: `gce:workers: instance group 'workers': the list is incomplete …`.
std::string left_out_text(const Event& event);

/// What `--log json` prints: one JSON object without a line end. Members are documented in docs/command.md.
std::string event_json(const Event& event, SteadyTime started);

}  // namespace rollcall::tools
