// The page as the service sends it: a table that can be read without scripts, which take its place where there are some. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/fleet_cluster.hpp"

namespace rollcall::fleet {

/// `text` as HTML text or as an attribute's value: nothing in it is markup; what deceives a reader is escaped as printable() has it.
std::string html_text(std::string_view text, std::size_t max_bytes = 512);

/// A whole document. `is_closed_to_reader`: clusters are shown to those only who say who they are.
std::string render_fleet_page(const std::vector<FleetCluster>& clusters, bool is_closed_to_reader = false);

}  // namespace rollcall::fleet
