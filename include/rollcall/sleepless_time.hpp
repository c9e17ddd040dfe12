// A clock for services whose answers contain ages: it includes the time of suspension.
#pragma once

#include <memory>

#include "rollcall/time_source.hpp"

namespace rollcall {

/// system_time(), but time goes on while the machine is suspended.
std::shared_ptr<TimeSource> sleepless_time();

}  // namespace rollcall
