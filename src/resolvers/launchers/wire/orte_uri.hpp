// Parses OMPI_MCA_orte_hnp_uri, the address of Open MPI's mpirun.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

class OrteUri {
 public:
  std::string host;       ///< mpirun's first address
  std::uint64_t job = 0;  ///< the job's number
};

/// Parses `1531576320.0;tcp://10.96.0.1,10.148.0.1:34911`, `…;tcp6://[fd00::1,fd00::2]:43370`. Errors: invalid_argument.
Result<OrteUri> parse_orte_uri(std::string_view text);

/// The coordinator's address, computed as in JAX, so that both agree: port = job / 4096 mod 4096 + 61440. IPv6 in brackets.
std::string coordinator_of(const OrteUri& uri);

}  // namespace rollcall
