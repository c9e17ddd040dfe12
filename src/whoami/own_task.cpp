// find_own_task(): finds the task of this process by launchers' variables, or by the machine's names and addresses.
// [facts: own-index-variables]
#include "rollcall/own_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "rollcall/whoami.hpp"
#include "whoami/nearest_launcher.hpp"
#include "whoami/own_index.hpp"
#include "whoami/pod_slice.hpp"
#include "whoami/rank_over_jobs.hpp"
#include "whoami/slurm_jobs.hpp"
#include "whoami/task_members.hpp"

namespace rollcall {
namespace {

constexpr std::string_view slurm_rank = "SLURM_PROCID";
constexpr std::string_view slurm_node_id = "SLURM_NODEID";
constexpr std::string_view slurm_node = "SLURMD_NODENAME";
constexpr std::string_view job_index = "JOB_COMPLETION_INDEX";

std::string value_in_words(std::string_view name, int value) { return fmt::format("{}={}", name, value); }

class OwnTaskSearch {
 public:
  OwnTaskSearch(const ClusterSpec& spec, const std::vector<Member>& members, const Environment& environment, const OwnMachine& machine,
                const KnownTask& known)
      : environment_(environment), members_(members), slurm_(slurm_membership(members, environment)) {
    for (const ClusterSpec::Job& job : spec.job_list()) {
      if (job.tasks.empty() || job.name != known.job.value_or(job.name)) continue;
      jobs_.push_back(&job);
      for (const auto& [index, address] : job.tasks) {
        if (index == known.index.value_or(index)) tasks_.emplace_back(&job, index);
      }
    }
    std::vector<Claim> own = claims_of(machine);
    // Slurm's name of the machine is the one in its node lists, even if the machine's own name differs.
    if (why_outside_step(environment).empty()) own.emplace_back(std::string(slurm_node), environment.get(slurm_node).value_or(""));
    own.emplace_back("SM_CURRENT_HOST", environment.get("SM_CURRENT_HOST").value_or(""));
    // Outside a pod a shell may have set it, for another machine.
    if (is_set(environment, "KUBERNETES_SERVICE_HOST") || is_set(environment, job_index))
      own.emplace_back("HOSTNAME", environment.get("HOSTNAME").value_or(""));
    index_.emplace(candidates(), std::move(own));
  }

  Result<OwnTask> find() {
    if (tasks_.empty()) return Failure(Errc::not_found, "the cluster has no task that this could be");
    if (!slurm_.outside.empty()) return index_->fail(Errc::conflict, slurm_.outside).with_hint(slurm_.way_in);
    const Result<PodSlice> read = read_pod_slice(environment_);
    if (!read) return index_->fail(read.error().code(), read.error().what());
    slice_ = *read;
    const std::vector<Testimony> witnesses = hear_witnesses(environment_);
    const int tasks = static_cast<int>(tasks_.size());
    const Testimony* const launcher = launcher_of(witnesses, tasks);
    for (const Testimony& said : witnesses) {
      const Result<void> fine = hear(said, launcher);
      if (!fine) return fine.error();
    }
    if (launcher && *launcher->size > tasks && claims_of(*launcher) == 0) return too_many(*launcher);
    const Testimony* const step = !launcher && is_by_node() ? larger_step(witnesses, tasks) : nullptr;
    if (step) return too_many(*step);
    if (!claims_.empty()) {
      const Result<SettledIndex> settled = index_->settle(claims_);
      if (settled) return task_of(*settled);
      Failure failure = settled.error();
      if (failure.code() == Errc::conflict && failure.hint().empty() && claims_.front().source.starts_with("SLURM_"))
        failure.with_hint("the target slurm: sorts hosts by name, unlike Slurm's ranks; slurm:order=rank numbers tasks as Slurm does");
      return failure;
    }
    const Result<std::optional<SettledIndex>> settled = index_->find_by_host();
    if (!settled) return settled.error();
    if (*settled) return task_of(**settled);
    return unknown();
  }

  /// Whether the machine, or a number that counts these tasks, is of another task than the one that `source` says.
  Result<void> check(const OwnTask& task, const std::string& source) {
    const auto at = std::find_if(tasks_.begin(), tasks_.end(),
                                 [&task](const auto& one) { return one.first->name == task.job && one.second == task.index; });
    if (at == tasks_.end()) return {};
    const auto place = static_cast<std::size_t>(at - tasks_.begin());
    claims_.emplace_back(source, std::string(), place);
    const Result<PodSlice> read = read_pod_slice(environment_);
    if (read) slice_ = *read;
    const std::vector<Testimony> witnesses = hear_witnesses(environment_);
    const Testimony* const launcher = launcher_of(witnesses, static_cast<int>(tasks_.size()));
    for (const Testimony& said : witnesses) {
      if (said.is_launcher || !said.fault.empty() || !said.ignored.empty() || !counts_all(said)) continue;
      if (jobs_.size() > 1) {
        if (const std::optional<std::size_t> other = other_place_over_jobs(said, jobs_, place))
          claims_.emplace_back(said.rank_name, said.evidence, *other);
        continue;
      }
      const Result<void> fine = hear(said, launcher);
      if (!fine) return fine;
    }
    const Result<SettledIndex> settled = index_->settle(claims_);
    return settled ? Result<void>() : Result<void>(settled.error());
  }

 private:
  Candidates candidates() const {
    Candidates candidates;
    candidates.from = "the cluster";
    for (const auto& [job, index] : tasks_) {
      Candidate& one = candidates.list.emplace_back();
      one.label = fmt::format("{} {}", printable(job->name, 40), index);
      one.hosts.push_back(job->tasks.at(index));
      for (std::string& name : members_.names_of(*job, index)) one.hosts.push_back(std::move(name));
    }
    return candidates;
  }

  static std::vector<Claim> claims_of(const OwnMachine& machine) {
    std::vector<Claim> claims;
    for (const std::string& name : machine.names) claims.emplace_back("this machine", name);
    for (const std::string& address : machine.addresses) claims.emplace_back("this machine", address);
    return claims;
  }

  OwnTask task_of(const SettledIndex& settled) const {
    const auto& [job, index] = tasks_[settled.place];
    return OwnTask(job->name, index, settled.evidence);
  }

  Failure unknown() const {
    std::string why = ignored_;
    if (why.empty()) why = "a launcher's, such as JOB_COMPLETION_INDEX, SLURM_PROCID or RANK: none is set";
    why = "no variable names this process's task (" + why + "), and no task has an address or a name of this machine";
    return index_->fail(Errc::not_found, why).with_hint(slurm_.way_in);
  }

  void note_ignored(const std::string& why) {
    constexpr std::size_t enough = 800;
    if (ignored_.size() < enough) ignored_ += (ignored_.empty() ? "" : "; ") + why;
  }

  // True if no more than the node or the machine says which task this process is.
  bool is_by_node() const {
    return std::all_of(claims_.begin(), claims_.end(), [](const PlacedClaim& claim) { return claim.source == slurm_node_id; });
  }

  Result<void> hear(const Testimony& said, const Testimony* launcher) {
    if (!said.fault.empty()) return index_->fail(Errc::invalid_argument, said.fault);
    if (!said.ignored.empty()) {
      note_ignored(said.ignored);
      return {};
    }
    const std::string& name = said.rank_name;
    if (name.starts_with("SLURM_")) {
      // Its variables are those of the launcher's daemons, of which each node has one.
      const bool is_launchers = launcher && (said.rank != launcher->rank || said.size != launcher->size);
      if (is_launchers) {
        note_ignored(fmt::format("{} is {}, but {} started this process", name, *said.rank, launcher->witness));
        return {};
      }
      // A rank takes precedence over a node's index.
      if (!claims_.empty() && claims_.back().source == slurm_rank) return {};
    }
    const std::optional<DeclaredCount> count = count_of(said, slice_);
    if (count && *said.rank >= count->high)
      return index_->fail(Errc::invalid_argument, fmt::format("{} is {}, but {} lists {}", name, *said.rank, count->source, count->high));
    return place(said, *said.rank, count);
  }

  // True if its number is one of so many as there are tasks: it is then about the same tasks.
  bool counts_all(const Testimony& said) const {
    const std::optional<DeclaredCount> count = count_of(said, slice_);
    if (!count || !count->is_fixed()) return false;
    const auto tasks = static_cast<std::int64_t>(tasks_.size());
    const bool is_of_several = slice_.slices > 1 && slice_.hosts && count->source == slice_.hosts->source;
    return count->high == tasks || (is_of_several && slice_.index && std::int64_t{count->high} * slice_.slices == tasks);
  }

  std::size_t claims_of(const Testimony& said) const {
    return static_cast<std::size_t>(
        std::count_if(claims_.begin(), claims_.end(), [&said](const PlacedClaim& claim) { return claim.source == said.rank_name; }));
  }

  // Several processes of the launcher would be one task of the cluster.
  Failure too_many(const Testimony& launcher) const {
    std::string what = fmt::format("{} started this process as {} of {} ({}), but the cluster has {} task{}", launcher.witness,
                                   *launcher.rank, *launcher.size, launcher.evidence, tasks_.size(), tasks_.size() == 1 ? "" : "s");
    return index_->fail(Errc::conflict, what + ": several processes would be one task")
        .with_hint(launcher.rank_name == slurm_rank
                       ? "slurm:order=rank and auto: have a task for each; or start one task on a node (srun --ntasks-per-node=1)"
                       : "name the launcher's own processes: auto:from=mpi or mpi:hostfile=PATH");
  }

  // An index within a part: the machine's name says which part it is of.
  Result<void> place_in_part(const Testimony& said, const ClusterSpec::Job& job) {
    const Result<std::optional<SettledIndex>> here = index_->find_by_host();
    if (!here) return here.error();
    if (!*here) {
      note_ignored(fmt::format("{} is {}, which counts within one of the {} parts of the cluster", said.rank_name, *said.rank,
                               members_.parts_of(job)));
      return {};
    }
    const auto& [own_job, own_index] = tasks_[(*here)->place];
    const Member* const member = members_.find(*own_job, own_index);
    if (!member || !member->part) return {};
    const std::string part = part_in_words(*member->part);
    if (member->part->member != *said.rank) {
      return index_->fail(Errc::conflict, fmt::format("{} is {}, but {}, which is member {} of {}", said.rank_name, *said.rank,
                                                      (*here)->evidence, member->part->member, part));
    }
    claims_.emplace_back(said.rank_name, fmt::format("{} in {}", value_in_words(said.rank_name, *said.rank), part), (*here)->place);
    return {};
  }

  // Adds the task that the variable identifies, or the reason why the variable does not apply to the cluster.
  Result<void> place(const Testimony& variable, int number, const std::optional<DeclaredCount>& count) {
    const bool is_of_slice = (variable.rank_name == "TPU_WORKER_ID" || variable.rank_name == job_index) && slice_.slices > 1;
    if (jobs_.size() > 1) {
      if (is_of_slice && slice_.index && jobs_.size() == static_cast<std::size_t>(slice_.slices))
        return claim(variable.rank_name, number, *jobs_[static_cast<std::size_t>(*slice_.index)], number, true);
      note_ignored(fmt::format("{} is {}, but the cluster has {} jobs", variable.rank_name, number, jobs_.size()));
      return {};
    }
    const ClusterSpec::Job& job = *jobs_.front();
    const auto fits = [&job](const DeclaredCount& declared, std::int64_t times) {
      const auto is_within = [&](std::int64_t n) { return n >= declared.low * times && n <= declared.high * times; };
      return is_within(static_cast<std::int64_t>(job.tasks.size())) || is_within(std::int64_t{job.tasks.rbegin()->first} + 1);
    };
    const bool is_whole = count && fits(*count, 1);
    if (variable.scope == TestimonyScope::machines && !count && has_shared_host(job)) {
      note_ignored(fmt::format("{} is {}, which counts machines, of which one has several tasks", variable.rank_name, number));
      return {};
    }
    if (variable.scope == TestimonyScope::part && !is_whole && !is_of_slice && members_.parts_of(job) > 1)
      return place_in_part(variable, job);
    if (is_of_slice && !count) {
      note_ignored(fmt::format("{} is {}, but the number of hosts in each of the {} slices is not known", variable.rank_name, number,
                               slice_.slices));
      return {};
    }
    if (!count || fits(*count, 1)) return claim(variable.rank_name, number, job, number, false);
    if (is_of_slice && fits(*count, slice_.slices)) {
      if (slice_.index)
        return claim(variable.rank_name, number, job, *slice_.index * count->high + number, true);  // at most as many tasks as an int holds
      note_ignored(fmt::format("{} is {}, but MEGASCALE_SLICE_ID is not set", variable.rank_name, number));
      return {};
    }
    note_ignored(fmt::format("{} is {} of the {} that {} gives, but {} has {} tasks", variable.rank_name, number,
                             count->is_fixed() ? std::to_string(count->high) : fmt::format("{} to {}", count->low, count->high),
                             count->source, printable(job.name, 40), job.tasks.size()));
    return {};
  }

  Result<void> claim(std::string_view name, int number, const ClusterSpec::Job& job, int index, bool is_of_slice) {
    std::string evidence = value_in_words(name, number);
    if (is_of_slice) evidence += " and " + value_in_words("MEGASCALE_SLICE_ID", *slice_.index);
    const auto at = std::find(tasks_.begin(), tasks_.end(), std::pair(&job, index));
    if (at == tasks_.end()) {
      return index_->fail(Errc::invalid_argument,
                          fmt::format("{}, but the cluster has no {} {} that this could be", evidence, printable(job.name, 40), index));
    }
    claims_.emplace_back(std::string(name), std::move(evidence), static_cast<std::size_t>(at - tasks_.begin()));
    return {};
  }

  const Environment& environment_;
  TaskMembers members_;
  SlurmMembership slurm_;
  std::vector<const ClusterSpec::Job*> jobs_;  // jobs with tasks
  std::vector<std::pair<const ClusterSpec::Job*, int>> tasks_;
  std::optional<OwnIndex> index_;
  std::vector<PlacedClaim> claims_;
  std::string ignored_;  // variables that were ignored, with the reason
  PodSlice slice_;
};

}  // namespace

Result<OwnTask> find_own_task(const ClusterSpec& spec, const Environment& environment, const OwnMachine& machine, const KnownTask& known,
                              const std::vector<Member>& members) {
  return OwnTaskSearch(spec, members, environment, machine, known).find();
}

Result<void> check_own_machine(const ClusterSpec& spec, const Environment& environment, const OwnMachine& machine, const OwnTask& task,
                               const std::string& source, const std::vector<Member>& members) {
  return OwnTaskSearch(spec, members, environment, machine, KnownTask()).check(task, source);
}

}  // namespace rollcall
