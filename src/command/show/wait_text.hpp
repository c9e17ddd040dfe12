// A wait as a table for a terminal and as JSON for a program; pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rollcall/wait.hpp"

namespace rollcall::tools {

/// What a table can show of a wait, however large the cluster: those who have been missing longest.
class ShownProgress {
 public:
  ShownProgress() {}
  ShownProgress(const WaitProgress& progress);
  WaitProgress head;       ///< without members, the longest missing first
  std::int64_t count = 0;  ///< of all who are missing
};

/// A line on the whole, and one for each missing member, the longest missing first; at most `height` lines of at most `width` columns.
std::vector<std::string> wait_table(const ShownProgress& progress, SteadyTime now, std::size_t width, std::size_t height);

/// One object, without a line end: `{"at_ms":…,"ready":31,"total":32,"phase":"running","state":"","missing":[…],"trouble":"","line":"…"}`.
/// At most 10,000 entries are listed; `missing_more` counts the others.
std::string wait_json(const WaitProgress& progress);

}  // namespace rollcall::tools
