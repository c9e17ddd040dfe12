// A wait as a table for a terminal and as JSON for a program; pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/wait.hpp"

namespace rollcall::tools {

/// A line on the whole, and one for each missing member, the longest missing first; at most `height` lines of at most `width` columns.
std::vector<std::string> wait_table(const WaitProgress& progress, SteadyTime now, std::size_t width, std::size_t height);

/// One object, without a line end: `{"at_ms":…,"ready":31,"total":32,"phase":"running","state":"","missing":[…],"trouble":"","line":"…"}`.
std::string wait_json(const WaitProgress& progress);

}  // namespace rollcall::tools
