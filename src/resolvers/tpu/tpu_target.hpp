// From a target `tpu:…` to the options of a TPU.
#pragma once

#include "rollcall/target.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

/// The scheme and the keys (check_keys) must have been checked. Errors: invalid_argument (an unknown version of the API).
Result<TpuOptions> tpu_options(const Target& target);

}  // namespace rollcall
