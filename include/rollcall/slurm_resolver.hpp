// The tasks of a Slurm job step. Source: tf.distribute.cluster_resolver.SlurmClusterResolver.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rollcall/host_list.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/slurm_process.hpp"

namespace rollcall {

/// The assignment of addresses to ranks.
enum class SlurmOrder {
  /// Upstream's: hosts sorted by name as text, each with all its slots. Slurm numbers ranks differently: if names have numbers of unequal
  /// length (`n9`, `n10`), or ranks are not assigned in blocks, addresses and ranks do not match.
  name,
  /// Slurm's own numbering: hosts in the order of the node list, slots assigned by SLURM_DISTRIBUTION (block, cyclic, plane; arbitrary
  /// with SLURM_HOSTFILE), in a heterogeneous step component by component. This task's node and numbers must agree with it.
  rank,
};

class SlurmOptions {
 public:
  using Jobs = std::map<std::string, int, std::less<>>;  ///< job name → number of tasks
  using TasksPerNode = std::vector<std::pair<std::string, int>>;  ///< host and number of tasks, in the order of the ranks
  SlurmOptions() {}
  // clang-format off
  /// Default: one job, worker, of SLURM_STEP_NUM_TASKS tasks. Ranks are assigned to the jobs in the order of their names.
  SlurmOptions& jobs(Jobs v) { jobs_ = std::move(v); return *this; }
  /// The port of a host's first task; the next task there has the next port.
  SlurmOptions& port(std::uint16_t v) { port_ = v; return *this; }
  /// Default: the fields of CUDA_VISIBLE_DEVICES (none if it is empty, unlike upstream), read when the resolver is constructed; else
  /// SLURM_GPUS_ON_NODE; else 0. Unlike upstream, nvidia-smi is not run: a library starts no processes.
  SlurmOptions& gpus_per_node(int v) { gpus_per_node_ = v; return *this; }
  /// Default: gpus_per_node divided by the maximum number of tasks on a node; with SlurmOrder::rank those of this task. 0: no GPUs.
  SlurmOptions& gpus_per_task(int v) { gpus_per_task_ = v; return *this; }
  /// The same number for every host of SLURM_STEP_NODELIST, or hosts with their numbers. Default: SLURM_STEP_TASKS_PER_NODE.
  SlurmOptions& tasks_per_node(int v) { tasks_per_node_ = v; return *this; }
  SlurmOptions& tasks_per_node(TasksPerNode v) { tasks_per_node_ = std::move(v); return *this; }
  /// Whether every cluster_spec() sets CUDA_VISIBLE_DEVICES to this task's GPUs. Default: false, unlike upstream, because setting a
  /// variable of a process with threads is a data race; SlurmResolver::task() returns the GPUs. It needs a Runtime whose environment can be
  /// set (writable_process_environment()); else cluster_spec() fails with failed_precondition.
  SlurmOptions& auto_set_gpu(bool v) { auto_set_gpu_ = v; return *this; }
  SlurmOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  SlurmOptions& order(SlurmOrder v) { order_ = v; return *this; }
  /// The syntax of SLURM_STEP_NODELIST.
  SlurmOptions& grammar(HostListGrammar v) { grammar_ = v; return *this; }
  // clang-format on
  const std::optional<Jobs>& jobs() const { return jobs_; }
  std::uint16_t port() const { return port_; }
  std::optional<int> gpus_per_node() const { return gpus_per_node_; }
  std::optional<int> gpus_per_task() const { return gpus_per_task_; }
  const std::variant<std::monostate, int, TasksPerNode>& tasks_per_node() const { return tasks_per_node_; }
  bool auto_set_gpu() const { return auto_set_gpu_; }
  const std::string& rpc_layer() const { return rpc_layer_; }
  SlurmOrder order() const { return order_; }
  HostListGrammar grammar() const { return grammar_; }

 private:
  std::optional<Jobs> jobs_;
  std::uint16_t port_ = 8888;
  std::optional<int> gpus_per_node_;
  std::optional<int> gpus_per_task_;
  std::variant<std::monostate, int, TasksPerNode> tasks_per_node_;
  bool auto_set_gpu_ = false;
  std::string rpc_layer_ = "grpc";
  SlurmOrder order_ = SlurmOrder::name;
  HostListGrammar grammar_ = HostListGrammar::tensorflow;
};

/// This process's task in the cluster.
class SlurmTask {
 public:
  SlurmTask() {}
  std::string task_type;
  int task_id = 0;
  std::string address;  ///< `host:port`
  std::vector<int> gpus;  ///< indices among the GPUs that the task sees; empty without
};

/// The environment of a Slurm step, read at every call; needs no network. In a batch script or a shell of an allocation the cluster has a
/// task for each node of the allocation, and this process is none of them. cluster_spec() sets task_type and task_id to those of
/// SLURM_PROCID, replacing assigned values; until then master() without a task is "". num_accelerators() are the GPUs of one task. Errors:
/// failed_precondition naming the missing variable, or the numbers that are not consistent; invalid_argument for a variable or an option
/// with a wrong value; conflict if variables contradict each other.
class SlurmResolver : public ClusterResolver {
 public:
  /// Upstream's get_task_info(), with address and GPUs. Does not suspend. Errors also: failed_precondition when the step has no such rank,
  /// and in an allocation, where a process has none.
  virtual Result<SlurmTask> task() const = 0;

 protected:
  using ClusterResolver::ClusterResolver;
};

/// Reads nothing yet: the environment is read at every call. `job`: the job of this process, as make_slurm_job_resolver() makes it without
/// a job's id. It is asked by cluster_status() for the states of the nodes, and while the step is followed; then a task of a step is ready
/// by the list at first, so that a launch asks nothing. If it cannot be asked, members are as listed (event omitted). Null: nothing is
/// asked.
std::shared_ptr<SlurmResolver> make_slurm_resolver(Runtime runtime, SlurmOptions options = {},
                                                   std::shared_ptr<ClusterResolver> job = nullptr);

}  // namespace rollcall
