// The metadata server of a Google Cloud machine.
#pragma once

#include "call/rules/service.hpp"

namespace rollcall {

extern const Service metadata_service;

}  // namespace rollcall
