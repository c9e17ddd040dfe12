// Members that are near each other, and may fail together: on a switch, in a slice, in a network.
#pragma once

#include <map>
#include <string>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

/// Sets the block of each member: as the service says, by task (`worker:3`); else as the members said of themselves, which are there then;
/// else by its address, its network, `10.0.3.0/24` or `fd00:0:0:3::/64`, where all have one. Without any where all are in one block.
void set_blocks(PreflightEvidence& evidence, const std::map<std::string, std::string>& by_service);

}  // namespace rollcall::preflight
