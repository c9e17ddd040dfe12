// find_own_task(): finds the task of this process by launchers' variables, or by the machine's names and addresses.
// [facts: own-index-variables]
#include "rollcall/own_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/text.hpp"
#include "launch/own_index.hpp"

namespace rollcall {
namespace {

constexpr int max_tasks = 1'048'576;
constexpr int highest_index = std::numeric_limits<int>::max();

enum class Counts {
  all,    // counts from the first task of the cluster on
  slice,  // counts the hosts of a slice; if there are several slices, MEGASCALE_SLICE_ID gives the slice
  job,    // counts the pods of an Indexed Job, which is a slice if there are several; otherwise no variable gives their number
};

class IndexVariable {
 public:
  std::string_view name;
  std::string_view count;        // the variable with the number of processes; empty: there is none
  std::string_view other_count;  // used if `count` is not set
  Counts counts = Counts::all;
};

constexpr std::string_view slurm_rank = "SLURM_PROCID";
constexpr std::string_view slurm_node = "SLURMD_NODENAME";
constexpr IndexVariable index_variables[] = {
    {"TPU_WORKER_ID", "", "", Counts::slice},
    {"JOB_COMPLETION_INDEX", "", "", Counts::job},
    {"LWS_WORKER_INDEX", "LWS_GROUP_SIZE", ""},
    {slurm_rank, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
    {"SLURM_NODEID", "SLURM_STEP_NUM_NODES", "SLURM_NNODES"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", ""},
    {"PMI_RANK", "PMI_SIZE", ""},
    {"PET_NODE_RANK", "PET_NNODES", ""},
    {"GROUP_RANK", "GROUP_WORLD_SIZE", ""},
    {"RANK", "WORLD_SIZE", ""},
    {"NODE_RANK", "NNODES", ""},
    {"JAX_PROCESS_ID", "JAX_NUM_PROCESSES", ""},
};

std::string value_in_words(std::string_view name, int value) { return fmt::format("{}={}", name, value); }

class OwnTaskSearch {
 public:
  OwnTaskSearch(const ClusterSpec& spec, const Environment& environment, const OwnMachine& machine, const KnownTask& known)
      : environment_(environment) {
    for (const ClusterSpec::Job& job : spec.job_list()) {
      if (job.tasks.empty() || job.name != known.job.value_or(job.name)) continue;
      jobs_.push_back(&job);
      for (const auto& [index, address] : job.tasks) {
        if (index == known.index.value_or(index)) tasks_.emplace_back(&job, index);
      }
    }
    std::vector<Claim> own = claims_of(machine);
    // Slurm's name of the machine is the one in its node lists, even if the machine's own name differs.
    if (!is_batch_script()) own.emplace_back(std::string(slurm_node), environment.get(slurm_node).value_or(""));
    index_.emplace(candidates(), std::move(own));
  }

  Result<OwnTask> find() {
    if (tasks_.empty()) return Failure(Errc::not_found, "the cluster has no task that this could be");
    const Result<void> read = read_slices();
    if (!read) return read.error();
    for (const IndexVariable& variable : index_variables) {
      const Result<void> fine = read_variable(variable);
      if (!fine) return fine.error();
    }
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

 private:
  Candidates candidates() const {
    Candidates candidates;
    candidates.from = "the cluster";
    for (const auto& [job, index] : tasks_) {
      Candidate& one = candidates.list.emplace_back();
      one.label = fmt::format("{} {}", printable(job->name, 40), index);
      one.hosts.push_back(job->tasks.at(index));
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
    if (why.empty()) why = "a launcher's, such as TPU_WORKER_ID, SLURM_PROCID or RANK: none is set";
    return index_->fail(Errc::not_found,
                        "no variable names this process's task (" + why + "), and no task has an address or a name of this machine");
  }

  void note_ignored(const std::string& why) {
    constexpr std::size_t enough = 800;
    if (ignored_.size() < enough) ignored_ += (ignored_.empty() ? "" : "; ") + why;
  }

  Failure refuse(const Failure& failure) const { return index_->fail(failure.code(), failure.what()); }

  // Reads the number of hosts of a slice from the list that its pods get.
  Result<void> read_slices() {
    const Result<std::optional<int>> slices = number_variable(environment_, "MEGASCALE_NUM_SLICES", 0, max_tasks);
    if (!slices) return refuse(slices.error());
    const Result<std::optional<int>> slice = number_variable(environment_, "MEGASCALE_SLICE_ID", 0, max_tasks);
    if (!slice) return refuse(slice.error());
    slices_ = slices->value_or(1);
    slice_ = *slice;
    if (slice_ && *slice_ >= std::max(slices_, 1) && *slices)
      return index_->fail(Errc::invalid_argument,
                          fmt::format("MEGASCALE_SLICE_ID is {}, but MEGASCALE_NUM_SLICES is {}", *slice_, slices_));
    for (const std::string_view name : {"TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES"}) {
      const std::string list = environment_.get(name).value_or("");
      if (trim(list).empty()) continue;
      hosts_ = DeclaredCount();
      hosts_->source = name;
      hosts_->low = hosts_->high = static_cast<int>(std::min<std::size_t>(split(list, ',').size(), max_tasks));
      break;
    }
    return {};
  }

  Result<void> read_variable(const IndexVariable& variable) {
    const std::string_view name = variable.name;
    const Result<std::optional<int>> number = number_variable(environment_, name, 0, highest_index);
    if (!number) return refuse(number.error());
    if (!*number) return {};
    if (name.starts_with("SLURM_")) {
      if (is_batch_script()) {
        note_ignored(fmt::format("{} is set, but this is no step: start it by srun", name));
        return {};
      }
      // A rank takes precedence over a node's index.
      if (!claims_.empty() && claims_.back().source == slurm_rank) return {};
    }
    Result<std::optional<DeclaredCount>> count = count_variable(environment_, {variable.count, variable.other_count}, max_tasks);
    if (!count) return refuse(count.error());
    if (variable.counts == Counts::slice || (variable.counts == Counts::job && slices_ > 1)) *count = hosts_;
    if (*count && **number >= (*count)->high) {
      return index_->fail(Errc::invalid_argument, fmt::format("{} is {}, but {} {} {}", name, **number, (*count)->source,
                                                              variable.counts == Counts::all ? "is" : "lists", (*count)->high));
    }
    return place(variable, **number, *count);
  }

  // True outside a step: a batch script has the variables of its job, and runs once.
  bool is_batch_script() const {
    return !environment_.get("SLURM_JOB_ID").value_or("").empty() && environment_.get("SLURM_STEP_NODELIST").value_or("").empty();
  }

  // Adds the task that the variable identifies, or the reason why the variable does not apply to the cluster.
  Result<void> place(const IndexVariable& variable, int number, const std::optional<DeclaredCount>& count) {
    const bool is_of_slice = variable.counts != Counts::all && slices_ > 1;
    if (jobs_.size() > 1) {
      if (is_of_slice && slice_ && jobs_.size() == static_cast<std::size_t>(slices_))
        return claim(variable.name, number, *jobs_[static_cast<std::size_t>(*slice_)], number, true);
      note_ignored(fmt::format("{} is {}, but the cluster has {} jobs", variable.name, number, jobs_.size()));
      return {};
    }
    const ClusterSpec::Job& job = *jobs_.front();
    const auto fits = [&job](const DeclaredCount& declared, std::int64_t times) {
      const auto is_within = [&](std::int64_t n) { return n >= declared.low * times && n <= declared.high * times; };
      return is_within(static_cast<std::int64_t>(job.tasks.size())) || is_within(std::int64_t{job.tasks.rbegin()->first} + 1);
    };
    if (is_of_slice && !count) {
      note_ignored(fmt::format("{} is {}, but the number of hosts in each of the {} slices is not known", variable.name, number, slices_));
      return {};
    }
    if (!count || fits(*count, 1)) return claim(variable.name, number, job, number, false);
    if (is_of_slice && fits(*count, slices_)) {
      if (slice_) return claim(variable.name, number, job, *slice_ * count->high + number, true);  // at most as many tasks as an int holds
      note_ignored(fmt::format("{} is {}, but MEGASCALE_SLICE_ID is not set", variable.name, number));
      return {};
    }
    note_ignored(fmt::format("{} is {} of the {} that {} gives, but {} has {} tasks", variable.name, number,
                             count->is_fixed() ? std::to_string(count->high) : fmt::format("{} to {}", count->low, count->high),
                             count->source, printable(job.name, 40), job.tasks.size()));
    return {};
  }

  Result<void> claim(std::string_view name, int number, const ClusterSpec::Job& job, int index, bool is_of_slice) {
    std::string evidence = value_in_words(name, number);
    if (is_of_slice) evidence += " and " + value_in_words("MEGASCALE_SLICE_ID", *slice_);
    const auto at = std::find(tasks_.begin(), tasks_.end(), std::pair(&job, index));
    if (at == tasks_.end()) {
      return index_->fail(Errc::invalid_argument,
                          fmt::format("{}, but the cluster has no {} {} that this could be", evidence, printable(job.name, 40), index));
    }
    claims_.emplace_back(std::string(name), std::move(evidence), static_cast<std::size_t>(at - tasks_.begin()));
    return {};
  }

  const Environment& environment_;
  std::vector<const ClusterSpec::Job*> jobs_;  // jobs with tasks
  std::vector<std::pair<const ClusterSpec::Job*, int>> tasks_;
  std::optional<OwnIndex> index_;
  std::vector<PlacedClaim> claims_;
  std::string ignored_;  // variables that were ignored, with the reason
  int slices_ = 1;
  std::optional<int> slice_;
  std::optional<DeclaredCount> hosts_;
};

}  // namespace

Result<OwnTask> find_own_task(const ClusterSpec& spec, const Environment& environment, const OwnMachine& machine, const KnownTask& known) {
  return OwnTaskSearch(spec, environment, machine, known).find();
}

}  // namespace rollcall
