// Where the hosts of an MPI job stand: host files, job schedulers' lists, and what Open MPI and Slurm say of mpirun's daemons.
#pragma once

#include <string>
#include <vector>

#include "cluster/host_file.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/mpi_resolver.hpp"

namespace rollcall {

class MpiHosts {
 public:
  std::vector<HostSlots> hosts;
  std::string from;          ///< `PBS_NODEFILE`
  bool are_ranks = false;    ///< a host for each rank, in their order
  bool are_counted = true;   ///< the slots are those of the processes; else each host has as many processes as this one, if they fit
};

class MpiHostReader {
 public:
  MpiHostReader(const Environment& environment, const Files& files, std::size_t max_bytes, std::size_t max_hosts)
      : environment_(environment), files_(files), max_bytes_(max_bytes), max_hosts_(max_hosts) {}

  /// For a process. `hostfile`: the target's; empty: the variables'. Errors: failed_precondition if nothing names the hosts, those of
  /// reading, and those of the lists.
  Result<MpiHosts> of_process(const MpiProcess& process, const std::string& hostfile) const;

  /// For the script of a batch job or the pod of a launcher, which have no rank: the hosts that a variable lists. Errors:
  /// failed_precondition, and those above.
  Result<MpiHosts> of_job_script() const;

 private:
  // `seen` gets what was found and not used, for the error.
  Result<MpiHosts> read_file(std::string_view variable, std::string path) const;
  Result<MpiHosts> read_list(std::string_view variable, const std::string& text) const;
  Result<std::optional<MpiHosts>> of_variables(bool is_job_script) const;
  Result<std::optional<MpiHosts>> of_daemons(const MpiProcess& process, std::string& seen) const;
  Result<std::optional<MpiHosts>> even_nodes(const MpiProcess& process, std::string_view variable, std::string& seen) const;

  const Environment& environment_;
  const Files& files_;
  std::size_t max_bytes_;
  std::size_t max_hosts_;
};

/// The variable that lists the hosts of a job for a script which starts mpirun; empty if there is none.
std::string_view scheduler_variable(const Environment& environment);

/// True if such a variable is set, and no launcher of MPI started this process.
bool is_mpi_job_script(const Environment& environment);

/// The number of hosts that have processes by Open MPI 3 and 4; none if it does not say so. Errors: invalid_argument.
Result<std::optional<int>> open_mpi_nodes(const Environment& environment);

}  // namespace rollcall
