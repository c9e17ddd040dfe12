// What NVML says of the health of a GPU, as numbers by name.
#pragma once

#include "devices/local/wire/nvml_line.hpp"

namespace rollcall {

/// Fills the values and processes of `out`. `library`: dlopen's handle; `gpu`: NVML's. Questions that an older library lacks, or that the
/// GPU does not support, are left out.
void ask_health(void* library, void* gpu, NvmlDevice& out);

}  // namespace rollcall
