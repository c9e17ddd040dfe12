// Parses the lists of hosts that job schedulers give their jobs.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cluster/host_file.hpp"

namespace rollcall {

// [facts: scheduler-hosts] Errors of all: invalid_argument with the fault, limit_exceeded over `max` hosts or slots.

/// LSB_MCPU_HOSTS of LSF: `h1 4 h2 4 `, each host with its slots.
Result<std::vector<HostSlots>> parse_host_pairs(std::string_view text, std::size_t max);
/// LSB_HOSTS of LSF, separated by blanks, and AZ_BATCH_HOST_LIST of Azure Batch, by commas.
Result<std::vector<HostSlots>> parse_host_words(std::string_view text, std::size_t max);
/// PE_HOSTFILE of Grid Engine: lines of `host slots queue processors`.
Result<std::vector<HostSlots>> parse_grid_engine_hosts(std::string_view text, std::size_t max);

}  // namespace rollcall
