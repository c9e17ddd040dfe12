// Servers that make tokens: OAuth's and STS's token endpoints, and AWS's metadata server.
#pragma once

#include "call/rules/service.hpp"

namespace rollcall {

extern const Service token_service;

}  // namespace rollcall
