// Files that list hosts: ClusterSpec JSON, TF_CONFIG, MPI hostfiles, and lines of host:port.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/cluster_spec.hpp"

namespace rollcall {

enum class HostFileFormat {
  cluster,   ///< `{"worker": ["a:1"]}`
  tfconfig,  ///< `{"cluster": {"worker": ["a:1"]}, "task": …}`
  mpi,       ///< `host slots=4` (Open MPI), `host:4` (MPICH, Intel), `host`; `rank 0=host slot=0` (a rank file)
  lines,     ///< `host:port`
};

/// JSON by its keys; lines by the words and the numbers after colons: those under 1024 are slots, others ports. Errors: not_ready (nothing
/// in it), invalid_argument (numbers of both kinds; an object of Kubernetes).
Result<HostFileFormat> detect_host_file(std::string_view text);

class HostSlots {
 public:
  HostSlots() {}
  HostSlots(std::string at_host, int count) : host(std::move(at_host)), slots(count), is_counted(true) {}
  std::string host;
  int slots = 1;
  bool is_counted = false;  ///< the list says how many slots
};

/// True if the first line is `rank N=HOST`: such a file places each rank, and parse_mpi_hosts() returns a host for each, by number.
bool is_rank_file(std::string_view text);

// Errors of both: invalid_argument with the number of the line, limit_exceeded over `max_items` hosts or slots. `#` begins a comment. Hosts
// in the order of the file; a host that is repeated has more slots, after those of the hosts in between. Keys are those that Open MPI and
// MPICH take [facts: openmpi-hostfile]; any other is an error.
Result<std::vector<HostSlots>> parse_mpi_hosts(std::string_view text, std::size_t max_items);
/// Addresses. A line without port has `default_port`, else it is an error.
Result<std::vector<std::string>> parse_host_lines(std::string_view text, std::optional<std::uint16_t> default_port, std::size_t max_items);

/// An address for each of the first `max` slots: the k-th slot of a host has port `first_port` + k. Errors: invalid_argument for ports
/// over 65535.
Result<std::vector<std::string>> addresses_of_slots(const std::vector<HostSlots>& hosts, std::uint16_t first_port, std::size_t max);

}  // namespace rollcall
