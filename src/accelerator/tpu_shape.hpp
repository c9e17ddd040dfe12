// Which shapes a TPU slice may have.
#pragma once

#include <optional>

#include "accelerator/tpu_table.hpp"

namespace rollcall {

const TpuGenerationRow& row_of(TpuGeneration generation) noexcept;

/// The usual shape of so many chips; `is_listed` tells whether the table has it. Absent: no slice has that size.
std::optional<Topology> usual_shape(const TpuGenerationRow& row, int chips, bool& is_listed) noexcept;

/// True if a slice of the generation may have this shape; sides may be in any order.
bool is_possible_shape(const TpuGenerationRow& row, const Topology& shape) noexcept;

/// Chips per virtual machine in a slice of so many chips.
int chips_per_host_of(const TpuGenerationRow& row, int chips) noexcept;

}  // namespace rollcall
