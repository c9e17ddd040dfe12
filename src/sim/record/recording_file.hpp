// A recording as the text of a simulation file.
#pragma once

#include <string>
#include <vector>

#include "sim/record/exchange_log.hpp"

namespace rollcall::sim {

std::string recording_file(const ExchangeLog& log, const std::vector<std::string>& targets, bool is_anonymous);

}  // namespace rollcall::sim
