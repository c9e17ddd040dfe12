// How many processes a machine takes: its accelerators, as far as they are known, and the tasks that share them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/ranks.hpp"

namespace rollcall {

/// A machine with any number of tasks.
class RankedHost {
 public:
  std::string name;  ///< without brackets and port
  int tasks = 0;
  int slots = 0;     ///< its accelerators if their number is known and not 0, else its tasks
};

/// In the order of their first tasks.
std::vector<RankedHost> hosts_of(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// Errors: failed_precondition naming the hosts whose accelerators are not known, where those of others are: a number of slots that is made
/// of the tasks for some and of the accelerators for others misleads.
Result<void> check_slots(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// The number of accelerators of the task, none if it is not known or 0. Those of a machine are shared by its tasks. Errors:
/// failed_precondition (the tasks of the machine cannot have equal shares).
Result<std::optional<int>> accelerators_of(const Rank& rank, const LaunchFacts& facts);

/// True if the accelerators that the task uses are the machine's, of which it has the share after those of the tasks before it.
bool shares_machine(const Rank& rank, const LaunchFacts& facts);

/// Lines of Open MPI's and MPICH's host files. Errors: invalid_argument (a host that the reader would misinterpret).
Result<std::string> mpi_host_lines(const std::vector<RankedHost>& hosts);
Result<std::string> mpich_host_lines(const std::vector<RankedHost>& hosts);

}  // namespace rollcall
