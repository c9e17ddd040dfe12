// Parses OMPI_MCA_orte_node_regex, the hosts of the daemons of Open MPI 3 and 4.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// `n[1:9],n[2:10-11],login@0(4)` is n9, n10, n11 and login: mpirun's host, then those of its daemons by number. The digit before a colon
/// is the width of the numbers. [facts: openmpi-node-regex] Errors: invalid_argument naming the text, limit_exceeded over `max_hosts`.
Result<std::vector<std::string>> parse_node_regex(std::string_view text, std::size_t max_hosts);

}  // namespace rollcall
