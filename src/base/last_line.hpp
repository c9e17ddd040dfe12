// The last line of what a program has printed: it usually says most.
#pragma once

#include <string_view>

#include "base/text.hpp"

namespace rollcall {

/// The last line of `text` that has more than blanks, without those at its ends. Empty: `text` has blanks only.
inline std::string_view last_line(std::string_view text) noexcept {
  text = trim(text);
  return trim(text.substr(text.find_last_of("\r\n") + 1));  // npos + 1: all of it
}

}  // namespace rollcall
