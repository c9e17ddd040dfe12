// What was meant by a word that is no target.
#pragma once

#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::tools {

/// Whether `text` starts with a known scheme; if not, invalid_argument that says which target was probably meant.
Result<void> check_scheme(std::string_view text);

}  // namespace rollcall::tools
