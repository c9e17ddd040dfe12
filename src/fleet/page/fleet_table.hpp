// The page as the service sends it: a table that is readable without scripts, and that the scripts replace. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/fleet_cluster.hpp"

namespace rollcall::fleet {

/// `text` as HTML text or as an attribute's value: contains no markup; deceptive characters are escaped as by printable().
std::string html_text(std::string_view text, std::size_t max_bytes = 512);

/// A whole document. `is_closed_to_reader`: it shows no clusters, since the client has not authenticated.
std::string render_fleet_page(const std::vector<FleetCluster>& clusters, bool is_closed_to_reader = false);

}  // namespace rollcall::fleet
