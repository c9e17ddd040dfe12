// The progress lines of a wait.
#pragma once

#include <string>
#include <vector>

#include "rollcall/wait.hpp"

namespace rollcall::testing {

/// Must not move while the wait goes on.
class WaitStory {
 public:
  std::vector<std::string> lines;
  WaitOptions options() {
    return WaitOptions().on_progress([this](const WaitProgress& progress) { lines.push_back(progress.line()); });
  }
};

}  // namespace rollcall::testing
