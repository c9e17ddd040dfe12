// Finds the MPI rank and size of this process in its environment.
#pragma once

#include <string>

#include "rollcall/environment.hpp"
#include "rollcall/mpi_resolver.hpp"

namespace rollcall {

inline constexpr int max_mpi_processes = 1'048'576;
inline constexpr const char* mpi_rank_file_hint =
    "give hostfile=PATH a rank file, which has a line `rank N=HOST` for each rank, as mpirun's -rankfile takes it";

/// Errors: failed_precondition, invalid_argument.
Result<MpiProcess> find_mpi_process(const Environment& environment);

/// True if a variable says that a launcher of MPI started this process, even if others are missing.
bool has_mpi_launcher(const Environment& environment);

/// The variables in which the process's launcher gives its local rank and local size; the second may be empty.
std::pair<std::string_view, std::string_view> local_variables_of(const MpiProcess& process);

bool is_from_open_mpi(const MpiProcess& process);
bool is_from_flux(const MpiProcess& process);
bool is_from_hydra(const MpiProcess& process);

/// True: ranks fill the lines of the host file in their order, also where a host has several, and begin again at the first.
bool fills_lines(const MpiProcess& process);

}  // namespace rollcall
