// Whatever has come of the programs that this process has started, however deep, in whatever process group or session: what a parent needs
// that must leave nothing running.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// A process and when it began, in ticks since the machine's start: another one with its number is not taken for it.
class ProcessId {
 public:
  ProcessId() {}
  ProcessId(pid_t number, std::uint64_t begun) : pid(number), began(begun) {}
  pid_t pid = 0;
  std::uint64_t began = 0;
  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

/// From here on, orphans of what this process starts become its children, not those of process 1, and find_descendants() finds them.
/// Errors: failed_precondition (the kernel refuses it, or there is no /proc that shows this process).
Result<void> adopt_orphans();

/// Those that live and descend from this process; without `strangers`, children of the library's (see child_ends.hpp), and what descends
/// from these. Empty where there is no /proc.
std::vector<ProcessId> find_descendants(const std::set<ProcessId>& strangers);

/// A line of /proc/PID/stat, read.
class ProcessLine {
 public:
  ProcessLine() {}
  ProcessId id;
  pid_t parent = 0;
  bool lives = false;  ///< no zombie all of whose threads have ended
};
/// Whatever the program's name is made of. Errors: malformed_response.
Result<ProcessLine> parse_process_line(std::string_view line);

}  // namespace rollcall
