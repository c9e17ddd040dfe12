// check_launcher(): whether the launcher nearest to this process agrees with a task that was found otherwise.
#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/own_task.hpp"
#include "rollcall/whoami.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {
namespace {

// A process that torchrun started beside others on its machine: the tasks of a cluster are then its agents. Other programs set RANK, too.
bool is_torchrun_worker(const Testimony& said, const Environment& environment) {
  return said.rank_name == "RANK" && said.local_size.value_or(1) > 1 && is_set(environment, "TORCHELASTIC_RUN_ID");
}

}  // namespace

Result<void> check_launcher(const Environment& environment, const OwnTask& task, const ClusterSpec& spec) {
  std::size_t tasks = 0;
  for (const ClusterSpec::Job& job : spec.job_list()) tasks += job.tasks.size();
  for (const Testimony& said : hear_witnesses(environment)) {
    if (!said.rank || !said.size || !said.fault.empty() || !(said.is_launcher || is_torchrun_worker(said, environment))) continue;
    const auto size = static_cast<std::size_t>(*said.size);
    const bool is_same = size == tasks && (spec.job_list().size() > 1 || *said.rank == task.index);
    if (size < tasks || is_same) continue;
    const std::string_view launcher = said.is_launcher ? said.witness : "torchrun";
    return Failure(Errc::conflict,
                   fmt::format("this process is {} {} of {} ({}), but {} started it as {} of {} ({})", printable(task.job, 80), task.index,
                               tasks, task.evidence, launcher, *said.rank, *said.size, said.evidence))
        .with_hint(
            "several processes would get one rank: name the launcher's own processes (auto:, mpi:hostfile=PATH), or ask before it starts "
            "them");
  }
  return {};
}

}  // namespace rollcall
