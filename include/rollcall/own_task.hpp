// Determines the task of a cluster that this process is: by the variables of its launcher, and by this machine's addresses and names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class Runtime;

/// A task, and the evidence for it.
class OwnTask {
 public:
  OwnTask() {}
  OwnTask(std::string in_job, int at_index, std::string known_by)
      : job(std::move(in_job)), index(at_index), evidence(std::move(known_by)) {}
  std::string job;
  int index = 0;
  std::string evidence;  ///< in words, safe to print: `RANK=1, 10.0.0.4 is this machine's address`
};

/// The names and addresses of a machine.
class OwnMachine {
 public:
  OwnMachine() {}
  std::vector<std::string> names;      ///< host names, short or full
  std::vector<std::string> addresses;  ///< IP literals, without brackets
};

/// This machine: its host name, and the addresses of its interfaces except loopback. Values that cannot be read are left out. Does not
/// suspend.
OwnMachine own_machine();

/// The part of the task that is known otherwise, such as by a target's `type=`.
class KnownTask {
 public:
  KnownTask() {}
  std::optional<std::string> job;
  std::optional<int> index;
};

/// The task of `spec` that this process is, according to `environment` and `machine`. It is never guessed. A machine with one task is that
/// task; with several tasks on a machine only a variable decides.
///
/// The numbers are those of hear_witnesses() (rollcall/whoami.hpp), as indices of the only job with tasks, or of `known.job`. All that fit
/// the cluster must agree. A number whose total differs from the cluster's number of tasks, such as one that counts the processes of a
/// host, is not about tasks and is ignored. A number within a slice (TPU_WORKER_ID, JOB_COMPLETION_INDEX with MEGASCALE_SLICE_ID and
/// MEGASCALE_NUM_SLICES) is of all slices, as one job in the order of slices, or a job each; one within another part counts where
/// `members` and this machine's name say which part it is. Where a launcher of MPI started the process within a Slurm step, the launcher's
/// numbers count, since the step's are those of its daemons.
///
/// SLURMD_NODENAME is a name of this machine, too, except in a batch script. Addresses and names are compared with those of the tasks:
/// addresses by value; names regardless of case and of a last dot, a short name with a full one if only one task has such a host. Loopback,
/// wildcard and link-local addresses exist on every machine and are ignored.
///
/// Errors, with the candidates and this machine's names and addresses: invalid_argument (a variable is no number, is not below the number
/// of its own launcher, or names no task), conflict (two variables disagree, or a variable and an address; a launcher started more
/// processes than there are tasks), not_found (no evidence, or several tasks have an address of this machine).
Result<OwnTask> find_own_task(const ClusterSpec& spec, const Environment& environment, const OwnMachine& machine,
                              const KnownTask& known = {}, const std::vector<Member>& members = {});

/// Whether the launcher nearest to this process, of MPI or torchrun, agrees with the `task` of `spec` that was found otherwise, such as by
/// a scheduler's variables, which are those of the launcher's daemons or agents. Errors: conflict, naming both.
Result<void> check_launcher(const Environment& environment, const OwnTask& task, const ClusterSpec& spec);

/// Whether this process may be the `task` that `source`, such as TF_CONFIG, says. Errors: conflict (this machine's names and addresses are
/// of other tasks, or a number of so many as there are tasks is), naming both. A machine that the cluster does not list may be any.
Result<void> check_own_machine(const ClusterSpec& spec, const Environment& environment, const OwnMachine& machine, const OwnTask& task,
                               const std::string& source, const std::vector<Member>& members = {});

/// The same as find_own_task() with the Runtime's environment and own_machine().
Result<OwnTask> find_own_task(const Runtime& runtime, const ClusterSpec& spec, const KnownTask& known = {},
                              const std::vector<Member>& members = {});

}  // namespace rollcall
