// Runs one case and returns its verdict.
#pragma once

#include <string>

#include "conformance/authority.hpp"
#include "conformance/case.hpp"

namespace rollcall::conformance {

class Verdict {
 public:
  enum class Kind { passed, failed, skipped };
  Verdict(Kind verdict, std::string why) : kind(verdict), text(std::move(why)) {}
  Kind kind;
  std::string text;  ///< the expected and the actual outcome, or why the case was skipped; one line
};

Verdict run_case(const Case& the_case, Authority& authority);

}  // namespace rollcall::conformance
