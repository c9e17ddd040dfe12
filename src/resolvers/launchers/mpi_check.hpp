// Compares the places of MPI ranks with what the launcher and the machine say of this process.
#pragma once

#include <string>
#include <vector>

#include "rollcall/environment.hpp"
#include "rollcall/mpi_resolver.hpp"
#include "rollcall/own_task.hpp"

namespace rollcall {

/// The names by which the hosts of a list may call this machine.
class MpiOwnHost {
 public:
  MpiOwnHost(const Environment& environment, const MpiProcess& process, const OwnMachine& machine);
  bool is_here(const std::string& host) const;
  const std::string& name() const { return names_.front(); }

 private:
  std::vector<std::string> names_;  // never empty
};

/// Errc::conflict, with what to do.
Failure mpi_conflict(const std::string& what);

/// `ranks`: the host of each rank; `how`: the rule that placed them, in words. Errors: conflict with both sides.
Result<void> check_mpi_place(const MpiProcess& process, const std::vector<std::string>& ranks, const std::vector<std::string>& listed,
                             const MpiOwnHost& own, const std::string& how);

}  // namespace rollcall
