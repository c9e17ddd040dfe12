// The processes that mpirun or mpiexec started. The environment of such a process gives the number of processes and its own rank, but not
// the hosts of the others: a hostfile is needed for these.
#pragma once

#include "rollcall/endpoint.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

class MpiOptions {
 public:
  MpiOptions() {}
  // clang-format off
  /// The hostfile of mpirun. Default: the variables that MpiResolver lists.
  MpiOptions& hostfile(std::string v) { hostfile_ = std::move(v); return *this; }
  /// The port of the first process on a host; the next process there has the next port.
  MpiOptions& port(std::uint16_t v) { port_ = v; return *this; }
  MpiOptions& job(std::string v) { job_ = std::move(v); return *this; }
  MpiOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  // clang-format on
  const std::string& hostfile() const { return hostfile_; }
  std::uint16_t port() const { return port_; }
  const std::string& job() const { return job_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }

 private:
  std::string hostfile_;
  std::uint16_t port_ = default_worker_port;
  std::string job_ = "worker";
  std::optional<std::string> rpc_layer_;
};

/// Facts about this process from the environment.
class MpiProcess {
 public:
  MpiProcess() {}
  std::string launcher;                    ///< `Open MPI`, `Hydra` (MPICH, Intel MPI) or `PMIx under Slurm`
  int rank = 0;
  int size = 1;
  std::optional<int> local_rank;           ///< among the processes of this host
  std::optional<int> local_size;           ///< processes of this host
  std::optional<std::string> coordinator;  ///< `host:port` as JAX chooses it: mpirun's host, a port by the job's number; Open MPI up to 4
};

/// Reads the environment at every call; needs no network. The cluster is one job; task i is the process of rank i, in the order of the
/// hostfile's slots (mpirun's default; a mapping by node cannot be detected). The hostfile is the options', else that of HYDRA_HOST_FILE,
/// OMPI_MCA_orte_default_hostfile, PRTE_MCA_prte_default_hostfile, PBS_NODEFILE or LSB_DJOB_HOSTFILE. Without one the cluster is known only
/// when all processes are on this host (then PMIX_HOSTNAME, else localhost). task_type() is the job, task_id() the rank, master() this
/// process's address. Errors: failed_precondition (not started by MPI; the hosts are not known; fewer slots than processes),
/// invalid_argument naming the variable or the hostfile's line, and those of Files.
class MpiResolver : public ClusterResolver {
 public:
  virtual Result<MpiProcess> process() const = 0;

 protected:
  using ClusterResolver::ClusterResolver;
};

/// Reads nothing yet: the environment and the hostfile are read at every call.
std::shared_ptr<MpiResolver> make_mpi_resolver(Runtime runtime, MpiOptions options = {});

}  // namespace rollcall
