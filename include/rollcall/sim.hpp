// The simulated cloud: the cloud itself and its skins.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"
#include "rollcall/sim/server.hpp"
