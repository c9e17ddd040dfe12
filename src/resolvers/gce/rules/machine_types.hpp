// What the names of Compute Engine's machine types and accelerator types say about a machine's accelerators [facts: compute-accelerators].
#pragma once

#include <optional>
#include <string_view>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The accelerators of a machine of that type, `a3-highgpu-8g` or `ct6e-standard-4t`, if its name determines them: XLA devices of TPUs.
/// None: not known. Count 0: Compute Engine has no such machine with accelerators of its own.
std::optional<Accelerators> accelerators_of_machine_type(std::string_view machine_type);

/// `count` accelerators of a type, `nvidia-h100-80gb` or `ct6e`, in a machine of that type. `count` is that of Compute Engine: chips of
/// TPUs. None: not known.
std::optional<Accelerators> accelerators_of_guest_type(std::string_view type, int count, std::string_view machine_type);

}  // namespace rollcall
