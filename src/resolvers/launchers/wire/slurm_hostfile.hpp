// Parses the file that SLURM_HOSTFILE names: with the distribution arbitrary it has the node of each rank.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// The nodes in the order of the ranks, `max` at most. Entries are separated by line ends, blanks and commas; `#` begins a comment, `n3*2`
/// repeats an entry, `n[1-3]` is a list. Errors: invalid_argument with the number of the line [facts: slurm-hostfile].
Result<std::vector<std::string>> parse_slurm_hostfile(std::string_view text, std::size_t max);

}  // namespace rollcall
