// Finds the MPI rank and size of this process in its environment.
#pragma once

#include <string>

#include "rollcall/environment.hpp"
#include "rollcall/mpi_resolver.hpp"

namespace rollcall {

/// Errors: failed_precondition, invalid_argument.
Result<MpiProcess> find_mpi_process(const Environment& environment);

/// The variable that names a hostfile, and its value. Both are empty if there is none.
std::pair<std::string, std::string> find_mpi_hostfile(const Environment& environment);

}  // namespace rollcall
