// The Compute Engine API.
#pragma once

#include "call/rules/service.hpp"

namespace rollcall {

extern const Service compute_service;

}  // namespace rollcall
