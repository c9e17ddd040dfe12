// Which of the verdicts counts that the members who gather reports have given.
#pragma once

#include <optional>
#include <vector>

#include "rollcall/preflight_verdict.hpp"

namespace rollcall::preflight {

/// A pass is one only where none says otherwise. Of several failures that of most reports counts, then the first. Null: there is none.
const PreflightVerdict* chosen_verdict(const std::vector<std::optional<PreflightVerdict>>& of_gatherers);

}  // namespace rollcall::preflight
