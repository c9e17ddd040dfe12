// All descendants of the programs that this process has started, at any depth and in any process group or session: for a parent that must
// leave nothing running.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// A process and its start time, in ticks since the machine's start: another process with a reused id is not mistaken for it.
class ProcessId {
 public:
  ProcessId() {}
  ProcessId(pid_t number, std::uint64_t begun) : pid(number), began(begun) {}
  pid_t pid = 0;
  std::uint64_t began = 0;
  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

/// From here on, orphaned descendants become children of this process, not of process 1, and find_descendants() finds them. Errors:
/// failed_precondition (the kernel refuses it, or there is no /proc that shows this process).
Result<void> adopt_orphans();

/// The running descendants of this process; without `strangers`, only children of the library (see child_ends.hpp) and their descendants.
/// Empty if there is no /proc.
std::vector<ProcessId> find_descendants(const std::set<ProcessId>& strangers);

/// A parsed line of /proc/PID/stat.
class ProcessLine {
 public:
  ProcessLine() {}
  ProcessId id;
  pid_t parent = 0;
  bool lives = false;  ///< not a zombie all of whose threads have ended
};
/// Accepts any program name. Errors: malformed_response.
Result<ProcessLine> parse_process_line(std::string_view line);

}  // namespace rollcall
