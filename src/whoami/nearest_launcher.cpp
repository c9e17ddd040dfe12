#include "whoami/nearest_launcher.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/own_task.hpp"
#include "rollcall/whoami.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {
namespace {

// A process of torchrun, DeepSpeed or accelerate, which start several on a machine: the tasks of a cluster are then machines. RANK may also
// be left over from another job: without torchrun's mark, the numbers must be those of this task with so many processes on each machine.
bool is_worker_of_task(const Testimony& said, const Environment& environment, const OwnTask& task, const ClusterSpec& spec, int tasks) {
  if (said.rank_name != "RANK") return false;
  if (said.local_size.value_or(1) > 1 && is_set(environment, "TORCHELASTIC_RUN_ID")) return true;
  const int each = tasks > 0 ? *said.size / tasks : 0;
  if (each < 2 || each * tasks != *said.size || said.local_size.value_or(each) != each) return false;
  const bool is_of_task = spec.job_list().size() > 1 || *said.rank / each == task.index;
  return is_of_task && said.local_rank == *said.rank % each;
}

}  // namespace

const Testimony* launcher_of(const std::vector<Testimony>& witnesses, int tasks) {
  for (const Testimony& said : witnesses) {
    if (said.is_launcher && said.fault.empty() && said.rank && said.size && *said.size >= tasks) return &said;
  }
  return nullptr;
}

const Testimony* larger_step(const std::vector<Testimony>& witnesses, int tasks) {
  for (const Testimony& said : witnesses) {
    const bool is_of_step = said.rank_name == "SLURM_PROCID" && said.fault.empty() && said.ignored.empty() && said.rank && said.size;
    if (is_of_step && *said.size > tasks) return &said;
  }
  return nullptr;
}

// Whether the launcher nearest to this process agrees with a task that was found otherwise.
Result<void> check_launcher(const Environment& environment, const OwnTask& task, const ClusterSpec& spec) {
  std::size_t tasks = 0;
  for (const ClusterSpec::Job& job : spec.job_list()) tasks += job.tasks.size();
  for (const Testimony& said : hear_witnesses(environment)) {
    if (!said.rank || !said.size || !said.fault.empty() ||
        !(said.is_launcher || is_worker_of_task(said, environment, task, spec, static_cast<int>(tasks))))
      continue;
    const auto size = static_cast<std::size_t>(*said.size);
    const bool is_same = size == tasks && (spec.job_list().size() > 1 || *said.rank == task.index);
    if (size < tasks || is_same) continue;
    const std::string_view launcher = said.is_launcher                             ? said.witness
                                      : is_set(environment, "TORCHELASTIC_RUN_ID") ? "torchrun"
                                                                                   : "a launcher of torch";
    return Failure(Errc::conflict,
                   fmt::format("this process is {} {} of {} ({}), but {} started it as {} of {} ({})", printable(task.job, 80), task.index,
                               tasks, task.evidence, launcher, *said.rank, *said.size, said.evidence))
        .with_hint(said.is_launcher ? "several processes would get one rank: name the launcher's own processes (auto:from=mpi, "
                                      "mpi:hostfile=PATH), or ask before it starts them"
                                    : "several processes would get one rank: ask before it starts them, or read the launcher's RANK");
  }
  return {};
}

}  // namespace rollcall
