// Patterns with stars.
#pragma once

#include <string_view>

namespace rollcall {

/// `*` matches any text, slashes included.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

}  // namespace rollcall
