// A clock for services: what they tell has an age, whoever slept.
#pragma once

#include <memory>

#include "rollcall/time_source.hpp"

namespace rollcall {

/// system_time(), but time goes on while the machine is suspended.
std::shared_ptr<TimeSource> sleepless_time();

}  // namespace rollcall
