// The nodes of a Slurm job, asked of Slurm itself: by slurmrestd, or by squeue and scontrol. The tasks of a step that this process is part
// of are in slurm_resolver.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/resolver.hpp"

namespace rollcall {

/// What the addresses of the nodes are.
enum class SlurmAddress {
  name,  ///< the names of the node list
  addr,  ///< NodeAddr, which Slurm's own daemons dial
};

class SlurmJobOptions {
 public:
  SlurmJobOptions() {}
  // clang-format off
  /// `4711`, `4711_3` (a task of an array), `4711+1` (a component of a heterogeneous job), or a name. Empty: SLURM_JOB_ID.
  SlurmJobOptions& job(std::string v) { job_ = std::move(v); return *this; }
  /// The name of the cluster. Another one's job of the same id is refused. Default: any.
  SlurmJobOptions& cluster(std::string v) { cluster_ = std::move(v); return *this; }
  /// A job that is given by its name is this user's. Default: any user's.
  SlurmJobOptions& user(std::string v) { user_ = std::move(v); return *this; }
  /// slurmrestd: `unix:/path`, `http://127.0.0.1:6820`, `https://host`. Default: none; squeue and scontrol are run.
  SlurmJobOptions& restd(std::string v) { restd_ = std::move(v); return *this; }
  /// The token for slurmrestd: `SLURM_JWT=eyJ…`, read at every use. Default: the variable SLURM_JWT; none at a unix socket.
  SlurmJobOptions& token_file(std::string v) { token_file_ = std::move(v); return *this; }
  /// A program that prints the token, and its arguments: `scontrol token lifespan=600`.
  SlurmJobOptions& token_command(std::vector<std::string> v) { token_command_ = std::move(v); return *this; }
  /// The user of the token, where the token itself does not say it.
  SlurmJobOptions& login(std::string v) { login_ = std::move(v); return *this; }
  SlurmJobOptions& port(std::uint16_t v) { port_ = v; return *this; }
  SlurmJobOptions& address(SlurmAddress v) { address_ = v; return *this; }
  /// While the job is followed, whether its nodes' slurmd are connected to about twice a second, so that a dead node is named within a
  /// second or two, in a big job a few more. Each connection leaves two lines in the log of slurmd. For jobs of up to 1,000 nodes. Default:
  /// false.
  SlurmJobOptions& probes_nodes(bool v) { probes_nodes_ = v; return *this; }
  SlurmJobOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  // clang-format on
  const std::string& job() const { return job_; }
  const std::string& cluster() const { return cluster_; }
  const std::string& user() const { return user_; }
  const std::string& restd() const { return restd_; }
  const std::string& token_file() const { return token_file_; }
  const std::vector<std::string>& token_command() const { return token_command_; }
  const std::string& login() const { return login_; }
  std::uint16_t port() const { return port_; }
  SlurmAddress address() const { return address_; }
  bool probes_nodes() const { return probes_nodes_; }
  const std::string& rpc_layer() const { return rpc_layer_; }

 private:
  std::string job_;
  std::string cluster_;
  std::string user_;
  std::string restd_;
  std::string token_file_;
  std::vector<std::string> token_command_;
  std::string login_;
  std::uint16_t port_ = 8888;
  SlurmAddress address_ = SlurmAddress::name;
  bool probes_nodes_ = false;
  std::string rpc_layer_ = "grpc";
};

/// A member is a node of the job, in the order of its node list. cluster_spec() of a job without nodes fails with not_ready.
/// cluster_status() says why a pending job waits, with the nodes that are down or drained. Errors: invalid_argument, not_found (no such
/// job), unauthenticated, unavailable (Slurm's controller), and those of the transport or of the programs.
std::shared_ptr<ClusterResolver> make_slurm_job_resolver(Runtime runtime, SlurmJobOptions options);

}  // namespace rollcall
