// What can be read only once: a pipe, such as the shell's <(COMMAND).
#pragma once

#include <string>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::tools {

/// All of `path` to its end, for at most `timeout`. The caller wipes what is secret; no other copy of it is left. Errors: invalid_argument,
/// limit_exceeded.
Result<std::string> read_once(const std::string& path, std::size_t max_bytes, Duration timeout);

}  // namespace rollcall::tools
