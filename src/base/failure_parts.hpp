// The text of a failure in parts, for one line or several. Pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

class FailureParts {
 public:
  FailureParts() {}
  std::string cause;
  std::string_view kind;  ///< of the target: `asked` or `file`; empty: there is no target, or the cause names it
  std::string target;
  std::string story;      ///< `2 attempts in 1.2 s; phase connect`; may be empty
  std::string hint;       ///< may be empty
};

FailureParts parts_of(const Failure& failure);

}  // namespace rollcall
