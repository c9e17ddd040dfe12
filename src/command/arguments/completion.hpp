// Completion scripts for shells, from the tables; pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::tools {

/// `bash`, `zsh` or `fish`. Errors: invalid_argument.
Result<std::string> completion_script(std::string_view shell);

}  // namespace rollcall::tools
