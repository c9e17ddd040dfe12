// Launch contracts: the cluster in the forms that frameworks and launchers read. Values in, text out; no requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Which task a program is. Both or none.
class LaunchedTask {
 public:
  LaunchedTask() {}
  LaunchedTask(std::string in_job, int at_index) : job(std::move(in_job)), index(at_index) {}
  std::string job;
  int index = 0;
  friend bool operator==(const LaunchedTask&, const LaunchedTask&) = default;
};

/// Names and values, in the order in which they are shown.
using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

/// The output forms of a cluster. docs/launch.md has an example of each, and the programs that read it.
enum class LaunchFormat : std::uint8_t {
  tf_config,         ///< TF_CONFIG
  cluster_def,       ///< a serialized tensorflow.ClusterDef; bytes
  cluster_def_text,  ///< the same in protobuf's text form
  jax,               ///< the arguments of jax.distributed.initialize() as JSON; as environment JAX_*
  pjrt,              ///< libtpu's TPU_WORKER_ID, TPU_WORKER_HOSTNAMES, TPU_PROCESS_ADDRESSES and bounds
  megascale,         ///< libtpu's MEGASCALE_*, of multislice jobs
  torchrun,          ///< its command line; as environment PET_*
  torch_env,         ///< MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE and the local ones, for init_method env://
  torch_xla,         ///< PyTorch/XLA's PJRT_DEVICE and the variables that it reads about the processes
  mpi_hostfile,      ///< Open MPI's: `host slots=4`
  mpich_hostfile,    ///< MPICH's and Intel MPI's: `host:4`
  slurm_nodelist,    ///< compressed, `n[001-003]`
  ray,               ///< the lines that start a head and its workers
  hosts,             ///< lines of /etc/hosts
  ssh_config,        ///< a Host block each
  ansible,           ///< an inventory
  prometheus,        ///< targets for file_sd_configs
  plain,             ///< an address a line
  env,               ///< the variables of rollcall exec, ROLLCALL_* and TF_CONFIG
};

/// As --format and --as spell them, in the order of the enumerators.
inline constexpr std::string_view launch_format_names[] = {
    "tf-config",    "cluster-def",    "cluster-def-text", "jax", "pjrt",  "megascale",  "torchrun", "torch-env",  "torch-xla",
    "mpi-hostfile", "mpich-hostfile", "slurm-nodelist",   "ray", "hosts", "ssh-config", "ansible",  "prometheus", "plain",
    "env",
};
constexpr std::string_view to_string(LaunchFormat format) noexcept { return launch_format_names[static_cast<std::size_t>(format)]; }

/// The port that the first process opens for the others. All hosts compute the same port, since they see the same cluster.
enum class CoordinatorPort : std::uint8_t {
  usual,    ///< the framework's own: 29500 for torch, and so on
  task,     ///< that of the first task's address
  derived,  ///< 61440 … 65535, from LaunchFacts::run and the cluster's addresses, or from LaunchFacts::job_id where that is set
};

/// A cluster, and the facts that a launch in it needs. Unknown facts are left empty; a form that needs one fails and names it.
class LaunchFacts {
 public:
  LaunchFacts() {}
  explicit LaunchFacts(ClusterSpec cluster) : spec(std::move(cluster)) {}
  ClusterSpec spec;
  std::string name;                        ///< the cluster's name for forms that have a name; empty: `rollcall`
  std::optional<LaunchedTask> task;        ///< this host's
  std::vector<std::string> jobs;           ///< only these take part, in this order; empty: all
  std::optional<std::string> rpc_layer;    ///< of TF_CONFIG
  std::optional<AcceleratorType> accelerator_type;  ///< of one slice
  std::optional<int> accelerators_per_host;  ///< of every machine, instead of what `members` say
  /// What is known of the tasks besides their addresses; members that are not in `spec` are ignored.
  std::vector<Member> members;
  std::string accelerator_kind;  ///< `TPU`: what all members have, where their number may not be known; empty: as `members` say
  /// For a job of several slices: how many tasks each has, in their order. A job that is not listed is one slice.
  std::map<std::string, std::vector<int>, std::less<>> slices;
  EnvironmentVariables megascale;          ///< MEGASCALE_* as the environment says them, where the cluster is one slice of several
  CoordinatorPort port_rule = CoordinatorPort::usual;
  std::optional<std::uint16_t> coordinator_port;    ///< this port, independent of the rule
  std::map<LaunchFormat, std::uint16_t> usual_ports;  ///< where the environment has set another port than the framework's own
  std::string run;                         ///< the launcher's own name of this run, from which ports are derived, too; empty: none
  std::string job_id;                      ///< names this run, the same on every host; empty: derived from the cluster's addresses
  std::string hostfile;                    ///< the hostfile's path for DeepSpeed's flags
  std::string same_address_hint;           ///< what to do where two tasks have one address; empty: not known
};

/// Properties and requirements of a form.
class LaunchFormatFacts {
 public:
  LaunchFormat format = LaunchFormat::plain;
  std::string_view help;         ///< short description
  bool has_environment = false;  ///< supported by launch_environment()
  bool is_binary = false;        ///< not for a terminal
  bool uses_task = false;        ///< contains this host's task, if it is known
  bool needs_task = false;       ///< fails if this host's task is not known
  bool uses_accelerators = false;  ///< contains the accelerators per host, if they are known
  bool uses_type = false;          ///< needs the accelerator, and the assignment of tasks to slices
  std::uint16_t coordinator_port = 0;  ///< the framework's usual port of the first process; 0: the form contains no such address
};

/// All, in the order of the enumerators.
std::span<const LaunchFormatFacts> launch_formats() noexcept;
/// The row of that form.
const LaunchFormatFacts& facts_of(LaunchFormat format) noexcept;
/// Errors: invalid_argument, with the nearest spelling.
Result<LaunchFormat> parse_launch_format(std::string_view name);

/// The cluster in that form; lines end in a newline. A form that is only an environment is shown as lines `NAME=value`, quoted for a POSIX
/// shell. Errors: invalid_argument (a host name that no launcher accepts, a task that is not in the cluster, an address that two tasks
/// have), failed_precondition (ranks with a hole, a part of a job, a fact that the form needs and that is not known; the message names it),
/// not_ready (no tasks), not_found (a job that the cluster does not have).
Result<std::string> render_launch(LaunchFormat format, const LaunchFacts& facts);

/// The environment of a process of that framework. Errors as above, unimplemented (the form is no environment), and limit_exceeded (a
/// variable longer than the 128 KiB that Linux accepts).
Result<EnvironmentVariables> launch_environment(LaunchFormat format, const LaunchFacts& facts);

/// The machines whose accelerators are not known although the form, or list of hosts, counts them: `how many accelerators n1 has is not
/// known, and of 3 more`. Empty: none. Does not suspend.
std::string unknown_accelerators(const LaunchFacts& facts, std::optional<LaunchFormat> format = std::nullopt);

/// The names that launch_environment() may set.
std::span<const std::string_view> launch_variables(LaunchFormat format) noexcept;

/// The names among these that the program must not get from outside, since they would contradict `set`, the variables of all its forms:
/// ranks and sizes that the form does not set here. Numbers of this host, such as PET_NPROC_PER_NODE, stay; so do JAX_LOCAL_DEVICE_IDS,
/// PET_RDZV_ID and the like, unless variables in `set` have other values outside, which shows that they are another job's.
std::vector<std::string_view> stale_variables(LaunchFormat format, const EnvironmentVariables& set, const Environment& outside);

/// Lists of hosts without ports: one line per host with the number of its processes (slots).
enum class HostsForm : std::uint8_t {
  horovod,  ///< `host:4`, of a host discovery script
  deepspeed,  ///< `host slots=4`, of a hostfile
  mpi,  ///< the same, as Open MPI reads it
  mpich,  ///< `host:4`, as MPICH and Intel MPI read it
  lines,  ///< `host`
};
/// As --format spells them, in the order of the enumerators.
inline constexpr std::string_view hosts_form_names[] = {"horovod", "deepspeed", "mpi", "mpich", "lines"};
constexpr std::string_view to_string(HostsForm form) noexcept { return hosts_form_names[static_cast<std::size_t>(form)]; }

/// The hosts in the order of their first tasks, a line each; no tasks: no lines. Indices may have holes, since some members may be gone. A
/// host's slots are its accelerators (LaunchFacts::accelerators_per_host, else those of its members), and its tasks where they are not
/// known or none. Errors: invalid_argument and not_found as render_launch(), also for
/// an IPv6 address where the reader takes a colon as the end of the host; failed_precondition (parameter servers and evaluators, unless
/// LaunchFacts::jobs names them) [facts: horovod-discovery, deepspeed-hostfile, mpich-hostfile].
Result<std::string> render_hosts(HostsForm form, const LaunchFacts& facts);

/// Launchers that get the cluster as command-line flags.
enum class FlagsFor : std::uint8_t {
  accelerate,  ///< accelerate launch
  torchrun,
  deepspeed,  ///< without ssh: started on each host
};
/// As --for spells them, in the order of the enumerators.
inline constexpr std::string_view flags_for_names[] = {"accelerate", "torchrun", "deepspeed"};
constexpr std::string_view to_string(FlagsFor launcher) noexcept { return flags_for_names[static_cast<std::size_t>(launcher)]; }

/// The flags that describe the cluster to the launcher on this host, in one line, words quoted for a POSIX shell. A launcher is started for
/// each task, and starts its share of the host's accelerators as processes, one if their number is not known; DeepSpeed's for each host.
/// Errors: those of render_launch(); failed_precondition also: the task is not known, accelerators that the tasks of a host cannot share
/// evenly, for accelerate shares that differ from task to task, and several processes on CPUs, for DeepSpeed a task that is not the first
/// of its host or no LaunchFacts::hostfile.
Result<std::string> render_flags(FlagsFor launcher, const LaunchFacts& facts);

/// The address at which the first process of a launch waits for the others.
class LaunchCoordinator {
 public:
  LaunchCoordinator() {}
  LaunchCoordinator(Endpoint where, bool is_this_host) : endpoint(std::move(where)), is_here(is_this_host) {}
  Endpoint endpoint;  ///< with a port
  bool is_here = false;  ///< this host's task is known, and runs on the same host
};

/// Errors: as render_launch(); unimplemented (the form has none).
Result<LaunchCoordinator> launch_coordinator(LaunchFormat format, const LaunchFacts& facts);
/// The same for the output of render_flags().
Result<LaunchCoordinator> launch_coordinator(FlagsFor launcher, const LaunchFacts& facts);

}  // namespace rollcall
