// The host of each MPI rank, compared with what the launcher says of this process.
#pragma once

#include <string>
#include <vector>

#include "resolvers/launchers/mpi_hosts.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/mpi_resolver.hpp"
#include "rollcall/own_task.hpp"

namespace rollcall {

/// The host of each rank. The answer follows from facts that all processes of a job share: the list, the number of processes, mpirun's
/// options and mpirun's host. What is known of this process only (local rank, local size, its host) never chooses between answers, so that
/// two processes never get different ones: it confirms the answer, or makes it an error. One exception: a list without numbers of
/// processes is used only if it comes out even with this process's local size.
/// Errors: failed_precondition (more processes than places, hosts whose numbers are not known), unimplemented and invalid_argument (as
/// read_mpi_mapping), conflict (this process is elsewhere than the answer has it; the text names both).
Result<std::vector<std::string>> place_mpi_ranks(const Environment& environment, const MpiProcess& process, const MpiHosts& hosts,
                                                 const OwnMachine& machine);

}  // namespace rollcall
