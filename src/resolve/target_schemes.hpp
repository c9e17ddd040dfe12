// What the makers of targets and the command share.
#pragma once

#include <cstdint>
#include <optional>

#include "rollcall/target_scheme.hpp"

namespace rollcall {

const TargetScheme* find_scheme(std::string_view name) noexcept;  ///< null: there is none

/// Whether the scheme has all of the target's keys. Errors: invalid_argument naming the key and what was probably meant.
Result<void> check_keys(const Target& target, const TargetScheme& scheme);

/// `task=3`; none when the key is missing. Errors: invalid_argument.
Result<std::optional<int>> task_option(const Target& target);
/// `KEY=8470`; none when the key is missing. Errors: invalid_argument unless 1 to 65535.
Result<std::optional<std::uint16_t>> port_option(const Target& target, std::string_view key = "port");
/// `KEY=true` or `KEY=false`; none when the key is missing. Errors: invalid_argument.
Result<std::optional<bool>> flag_option(const Target& target, std::string_view key);

}  // namespace rollcall
