// The processes that mpirun, mpiexec or jsrun started. The environment of such a process gives the number of processes and its own rank.
// The hosts of the others stand in a hostfile, in a job scheduler's list, or among the facts about mpirun's daemons.
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
  std::string launcher;                    ///< `Open MPI`, `jsrun`, `PALS`, `Hydra` (MPICH, Intel MPI) or `PMIx under Slurm`
  int rank = 0;
  int size = 1;
  std::optional<int> local_rank;           ///< among the processes of this host
  std::optional<int> local_size;           ///< processes of this host
  std::optional<std::string> coordinator;  ///< `host:port` as JAX chooses it: mpirun's host, a port by the job's number; Open MPI up to 4
};

/// Reads the environment at every call; needs no network. The cluster is one job; task i is the process of rank i. Its host follows from
/// the hostfile or list (docs/command.md names the variables) and mpirun's options, which are the same for all processes. It is compared
/// with what the launcher says of this process, and an answer that does not fit is an error, never another answer. In the script of a batch
/// job, without a launcher, the tasks are the slots of the scheduler's list; task_id() is then an error (failed_precondition). task_type()
/// is the job, task_id() the rank, master() this process's address. Errors: failed_precondition (not started by MPI; the hosts are not
/// known; fewer slots than processes), conflict (the launcher has this process elsewhere), unimplemented (a mapping that cannot be
/// followed), invalid_argument naming the variable or the hostfile's line, limit_exceeded, and those of Files.
class MpiResolver : public ClusterResolver {
 public:
  virtual Result<MpiProcess> process() const = 0;

 protected:
  using ClusterResolver::ClusterResolver;
};

/// Reads nothing yet: the environment and the hostfile are read at every call.
std::shared_ptr<MpiResolver> make_mpi_resolver(Runtime runtime, MpiOptions options = {});

}  // namespace rollcall
