// Lines on a terminal that are written anew in their place.
#pragma once

#include <string>
#include <vector>

namespace rollcall::tools {

class LiveBlock {
 public:
  /// Standard error. Each line must be shorter than the terminal is wide.
  void show(const std::vector<std::string>& lines);
  void erase();

 private:
  std::size_t shown_ = 0;
};

}  // namespace rollcall::tools
