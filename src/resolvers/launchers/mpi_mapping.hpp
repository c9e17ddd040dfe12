// How Open MPI was asked to map processes to hosts, as the variables say that all processes of a job have.
#pragma once

#include <optional>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class MpiMapping {
 public:
  bool is_dealt = false;          ///< ranks go to the hosts in turn, one each; else host after host
  std::optional<int> per_host;    ///< so many on each host, not by its slots
  bool is_sequence = false;       ///< a rank for each line of the hostfile
};

/// From the options that mpirun hands on to its processes: --map-by, --rank-by, --npernode and their older forms. None of them: host after
/// host, by slots. [facts: openmpi-mapping] Errors: unimplemented for a mapping that cannot be followed, invalid_argument for a number.
Result<MpiMapping> read_mpi_mapping(const Environment& environment);

}  // namespace rollcall
