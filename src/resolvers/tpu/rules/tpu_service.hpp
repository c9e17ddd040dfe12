// The Cloud TPU API.
#pragma once

#include "call/rules/service.hpp"

namespace rollcall {

extern const Service tpu_service;

}  // namespace rollcall
