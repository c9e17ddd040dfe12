// The table of targets, as the command looks into it.
#pragma once

#include <string_view>

#include "rollcall/target_scheme.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

const TargetScheme* find_scheme(std::string_view name) noexcept;  ///< null: there is none

/// Whether the scheme has all of the target's keys. Errors: invalid_argument naming the key and what was probably meant.
Result<void> check_keys(const Target& target, const TargetScheme& scheme);

/// The options of a target `tpu:…` whose keys are checked. Errors: invalid_argument (an unknown version of the API).
Result<TpuOptions> tpu_options(const Target& target);

}  // namespace rollcall
