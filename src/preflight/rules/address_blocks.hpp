// Members whose addresses are neighbours, for a list that says no more of where they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::preflight {

/// For each host its network, `10.0.3.0/24` or `fd00:0:0:3::/64`. Empty texts where one is a name, or where all are of one network.
std::vector<std::string> address_blocks(const std::vector<std::string_view>& hosts);

}  // namespace rollcall::preflight
