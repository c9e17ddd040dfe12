// The usual short name of a GPU, from the names that vendors and clouds give it.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// `H100` of `NVIDIA-H100-80GB-HBM3` and `nvidia-h100-mega-80gb`, `MI300X` of `AMD_Instinct_MI300X_OAM`, `RTX A6000`. A name without a
/// number is left as it is.
std::string gpu_model(std::string_view product);

}  // namespace rollcall
