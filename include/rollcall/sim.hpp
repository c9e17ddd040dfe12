// The simulated cloud: the cloud itself and its servers.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"
#include "rollcall/sim/server.hpp"
