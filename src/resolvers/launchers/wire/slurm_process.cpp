// Finds out what Slurm started this process as: a task of a step, or the script or shell of an allocation [facts: slurm-step-variables].
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "resolvers/launchers/wire/slurm_variables.hpp"
#include "rollcall/host_list.hpp"
#include "rollcall/slurm_process.hpp"

namespace rollcall {
namespace {

// SLURM_STEP_ID of what is no step of the user: the numbers of slurm.h, as unsigned or as signed.
class SpecialStep {
 public:
  std::string_view id;
  std::string_view other_id;
  std::string_view words;
};
constexpr SpecialStep special_steps[] = {
    {"4294967290", "-6", "an interactive shell"}, {"4294967291", "-5", "a batch script"}, {"4294967292", "-4", "an external process"}};

// Two variables that are equal in every task of a step. Both are the step's there; the first is the job's elsewhere.
class StepTwins {
 public:
  std::string_view of_both;
  std::string_view of_step;
};
constexpr StepTwins step_twins[] = {{"SLURM_NNODES", "SLURM_STEP_NUM_NODES"}, {"SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"}};

class SlurmProcessFinder {
 public:
  explicit SlurmProcessFinder(const Environment& environment) : environment_(environment) {}

  Result<SlurmProcess> find() const {
    SlurmProcess process;
    process.run = slurm_job_id(environment_);
    const std::string step = slurm_text(environment_, {"SLURM_STEP_ID", "SLURM_STEPID"});
    const bool is_in_job = !process.run.empty();
    for (const SpecialStep& special : special_steps) {
      if (is_in_job && (step == special.id || step == special.other_id)) return in_allocation(std::move(process), special.words);
    }
    const std::string nodes = slurm_text(environment_, {"SLURM_STEP_NODELIST"});
    const std::string rank = slurm_text(environment_, {"SLURM_PROCID"});
    if (nodes.empty() || rank.empty()) {
      const bool is_without_step = nodes.empty() && slurm_text(environment_, {"SLURM_STEP_NUM_TASKS"}).empty();
      if (is_in_job && is_without_step && (rank.empty() || rank == "0"))
        return in_allocation(std::move(process), rank.empty() ? "a shell" : "a batch script");
      return process;
    }
    const std::string contradiction = find_contradiction();
    if (!contradiction.empty()) {
      return Failure(Errc::conflict, "slurm: the variables of a step are not those of this process: " + contradiction)
          .with_hint("start it by srun: a script or shell that is started within a step keeps the variables of that step");
    }
    process.role = SlurmRole::task;
    process.words = "a task of a step";
    if (is_in_job && !step.empty()) process.run += "." + step;
    return process;
  }

 private:
  static SlurmProcess in_allocation(SlurmProcess process, std::string_view words) {
    process.role = SlurmRole::allocation;
    process.words = words;
    return process;
  }

  std::string value(std::string_view name) const { return fmt::format("{} is {}", name, quoted(slurm_text(environment_, {name}), 80)); }

  // The names in a list, in lower case; none if it is empty or malformed, which is reported where the list is read.
  std::set<std::string, std::less<>> names_in(std::string_view variable) const {
    std::set<std::string, std::less<>> names;
    const Result<std::vector<std::string>> hosts = expand_host_list(slurm_text(environment_, {variable}));
    if (!hosts) return names;
    for (const std::string& host : *hosts) names.insert(to_lower(host));
    return names;
  }

  // Empty: none. Programs and containers that pass on only some variables contradict nothing.
  std::string find_contradiction() const {
    const std::set<std::string, std::less<>> step = names_in("SLURM_STEP_NODELIST");
    const std::string node = slurm_text(environment_, {"SLURMD_NODENAME"});
    if (!step.empty() && !node.empty() && !step.contains(to_lower(node)))
      return fmt::format("{}, but {}", value("SLURM_STEP_NODELIST"), value("SLURMD_NODENAME"));
    std::set<std::string, std::less<>> job = names_in("SLURM_JOB_NODELIST");
    if (!job.empty()) {
      for (const std::string& variable : slurm_component_lists(environment_)) {
        if (job.size() <= max_hosts_in_list) job.merge(names_in(variable));
      }
      const auto outside = std::find_if(step.begin(), step.end(), [&job](const std::string& name) { return !job.contains(name); });
      if (outside != step.end()) {
        return fmt::format("{}, but {}, without {}", value("SLURM_STEP_NODELIST"), value("SLURM_JOB_NODELIST"), printable(*outside, 80));
      }
    }
    for (const StepTwins& twins : step_twins) {
      if (!is_same(twins)) return fmt::format("{}, but {}", value(twins.of_both), value(twins.of_step));
    }
    // A greater number is that of a job whose step this is, where only the job's variables were passed on.
    const auto tasks = parse_decimal<int>(slurm_text(environment_, {"SLURM_NTASKS"}));
    const auto of_step = parse_decimal<int>(slurm_text(environment_, {"SLURM_STEP_NUM_TASKS"}));
    if (tasks && of_step && *tasks < *of_step) return fmt::format("{}, but {}", value("SLURM_NTASKS"), value("SLURM_STEP_NUM_TASKS"));
    return {};
  }

  bool is_same(const StepTwins& twins) const {
    const std::string a = slurm_text(environment_, {twins.of_both});
    const std::string b = slurm_text(environment_, {twins.of_step});
    if (a.empty() || b.empty() || a == b) return true;
    const Result<std::vector<int>> left = expand_tasks_per_node(a);
    const Result<std::vector<int>> right = expand_tasks_per_node(b);
    return !left || !right || *left == *right;  // the reader of the list reports a malformed one
  }

  const Environment& environment_;
};

}  // namespace

Result<SlurmProcess> find_slurm_process(const Environment& environment) { return SlurmProcessFinder(environment).find(); }

}  // namespace rollcall
