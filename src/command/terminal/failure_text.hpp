// A failure as text for a terminal: the problem, the request and the hint, each on a line of its own. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// ```
/// rollcall: TPU 'trainr': HTTP 404 NOT_FOUND: …
///    asked: https://… (1 attempt in 30 ms)
///     hint: did you mean …
/// ```
/// with a line end. Broken at blanks into lines of at most `width` columns. Foreign text in it is escaped.
std::string failure_text(const Failure& failure, std::size_t width, bool with_colour);

}  // namespace rollcall::command
