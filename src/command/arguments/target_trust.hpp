// Targets that do not stand on the command line: those of files, of ROLLCALL_TARGET and of a session's requests.
#pragma once

#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// Whether a target that others may have written can be used: always, unless the process has ROLLCALL_TRUST_TARGETS=command-line; then only
/// where nothing in it needs trust (TargetKey::needs_trust). What is no target is fine here: who reads it says so. A session's
/// `environment` does not count. Errors: refused_by_policy; invalid_argument: the variable has another value.
[[nodiscard]] Result<void> check_trusted(std::string_view target);

}  // namespace rollcall::command
