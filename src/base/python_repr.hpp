// Text as Python's repr() spells it.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// In single quotes, or in double quotes if `text` contains a single quote and no double one. Backslashes and characters
/// that do not show are escaped; bytes that are not UTF-8 appear as Python's surrogate escapes (`\udcff`). Whether a
/// character shows is decided by ranges, not by the full Unicode table: unassigned code points are printed as they are.
std::string python_repr(std::string_view text);

}  // namespace rollcall
