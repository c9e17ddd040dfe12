// Trust in targets that do not come from the command line: those of files, of ROLLCALL_TARGET and of a session's requests.
#pragma once

#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// Checks that a target which others may have written can be used. It always can, unless the process has
/// ROLLCALL_TRUST_TARGETS=command-line; then only if no key in it needs trust (TargetKey::needs_trust). A text that is not a target passes:
/// its parser reports it. A session's `environment` does not count. Errors: refused_by_policy; invalid_argument: the variable has another
/// value.
[[nodiscard]] Result<void> check_trusted(std::string_view target);

}  // namespace rollcall::command
