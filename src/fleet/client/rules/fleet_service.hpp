// A Rollcall service, as its clients see it.
#pragma once

#include "call/rules/service.hpp"

namespace rollcall {

extern const Service fleet_service;

}  // namespace rollcall
