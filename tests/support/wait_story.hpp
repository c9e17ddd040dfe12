// The lines that a wait tells its progress by.
#pragma once

#include <string>
#include <vector>

#include "rollcall/wait.hpp"

namespace rollcall::testing {

/// Stays where it is while the wait goes on.
class WaitStory {
 public:
  std::vector<std::string> lines;
  WaitOptions options() {
    return WaitOptions().on_progress([this](const WaitProgress& progress) { lines.push_back(progress.line()); });
  }
};

}  // namespace rollcall::testing
