// The verdict of a member that got none from those that gather reports: by what it saw alone, it cannot be said who is to blame.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

class LoneMember {
 public:
  LoneMember() {}
  std::string run;
  std::size_t members = 0;            ///< of the list
  std::string name;                   ///< `worker:3`
  std::vector<std::string> gatherers; ///< `worker:0`, …
  std::vector<ProbeResult> seen;      ///< of those that it was to probe
  std::vector<Finding> findings;      ///< of its own checks
};

PreflightVerdict lone_verdict(const LoneMember& member);

}  // namespace rollcall::preflight
