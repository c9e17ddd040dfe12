// The simulation file: JSON text in, a model out. Documented in docs/simulation.md.
#pragma once

#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

inline constexpr std::size_t max_file_bytes = 16 * 1024 * 1024;
inline constexpr std::size_t max_nodes = 100'000;

/// Errors: invalid_argument, `FILE:LINE:COLUMN: PATH: what is wrong`.
Result<Model> parse_file(std::string_view text, std::string_view file_name);

}  // namespace rollcall::sim
