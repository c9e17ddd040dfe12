#include "command/ask/own_task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "launch/job_environment.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/slurm_resolver.hpp"
#include "rollcall/target.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall::command {
namespace {

// This process's task as the targets know it.
class PartsTask {
 public:
  PartsTask() {}
  std::optional<Result<OwnTask>> answer;  // none: no target knows it, or only the half in `known`
  KnownTask known;
};

// True: the task that the resolver knows is the task of this process.
bool knows_own_task(const std::string& text) {
  const Result<Target> target = Target::parse(text);
  if (!target) return false;
  const TargetScheme* const scheme = find_scheme(target->scheme);
  return !scheme || !scheme->task_is_masters || target->get("task");
}

// True: the target itself names the task, as its user has it. This machine may have any name and address then.
bool names_own_task(const std::string& text) {
  const Result<Target> target = Target::parse(text);
  return target && (target->get("task") || target->get("type"));
}

// A process that is none of a step's tasks is no task of the cluster, on any machine.
bool is_step(const ClusterPart& part) {
  const TargetScheme* const scheme = scheme_of(part.target);
  return scheme && scheme->is_slurm_step && scheme->is_slurm_step(*part.resolver);
}

// What this process is, where Slurm gave it nodes but no rank; else empty.
std::string words_outside_of_step(const ClusterPart& part) {
  if (!is_step(part)) return {};
  const Result<SlurmProcess> process = find_slurm_process(*process_environment());
  return process && process->role == SlurmRole::allocation ? process->words : std::string();
}

Failure none_of_its_tasks(const ClusterPart& part) {
  const std::string words = words_outside_of_step(part);
  if (words.empty())
    return Failure(Errc::not_found, fmt::format("{}: this process is none of the step's tasks", part.resolver->describe()));
  return Failure(Errc::not_found, fmt::format("{}: this process is {}, none of the tasks of a step", part.resolver->describe(), words))
      .with_hint("start it by srun");
}

OwnTask task_declared_by(const ClusterPart& part, const std::string& job, int index) {
  return OwnTask(job, index, fmt::format("{} says so", part.resolver->describe()));
}

// The index of a part's task among those of all parts. Fails if two tasks have its address.
Result<OwnTask> place_of(const ClusterSpec& spec, const ClusterPart& part, const std::string& job, const std::string& address) {
  std::optional<OwnTask> found;
  for (const ClusterSpec::Job& one : spec.job_list()) {
    if (one.name != job) continue;
    for (const auto& [index, at] : one.tasks) {
      if (at != address) continue;
      if (found) {
        return Failure(Errc::not_found, fmt::format("this process is {} {} by {}, but {} {} and {} have that address", job, address,
                                                    part.resolver->describe(), job, found->index, index));
      }
      found = task_declared_by(part, job, index);
    }
  }
  if (found) return *std::move(found);
  return Failure(Errc::not_found,
                 fmt::format("this process is {} {} by {}, which the cluster does not list", job, address, part.resolver->describe()));
}

// Reads the job and index that the resolver knows.
Result<void> read_task(const ClusterResolver& resolver, KnownTask& known) {
  try {
    known.job = resolver.task_type();
    known.index = resolver.task_id();
  } catch (const ResolveError& error) {
    return error.failure();
  }
  return Result<void>();
}

// The node name of Slurm must be the host of the task, if the cluster lists the node at all: hosts sorted by name, as in TensorFlow, are
// not in the order of the ranks. With the order of the ranks the resolver itself has checked the place.
Result<void> check_node(const ClusterPart& part, const ClusterSpec& spec, const KnownTask& known) {
  const std::string node = process_environment()->get("SLURMD_NODENAME").value_or("");
  if (node.empty()) return Result<void>();
  const auto is_on_node = [&node](const std::string& address) {
    const Result<Endpoint> endpoint = Endpoint::parse(address);
    return endpoint && equals_ignoring_case(endpoint->host, node);
  };
  const Result<std::string> address = spec.task_address(*known.job, *known.index);
  if (!address || is_on_node(*address)) return Result<void>();
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, at] : job.tasks) {
      if (!is_on_node(at)) continue;
      return Failure(Errc::conflict,
                     fmt::format("this process is {} {} ({}) by {}, but runs on {} (SLURMD_NODENAME), which has {} {}", *known.job,
                                 *known.index, *address, part.resolver->describe(), printable(node, 80), job.name, index))
          .with_hint("hosts are sorted by name, unlike Slurm's ranks; slurm:order=rank numbers tasks as Slurm does");
    }
  }
  return Result<void>();
}

asio::awaitable<Result<PartsTask>> ask_parts(const ClusterSpec& spec, const std::vector<ClusterPart>& parts, QuestionOptions options) {
  PartsTask reported;
  for (const ClusterPart& part : parts) {
    if (!knows_own_task(part.target)) continue;
    KnownTask known;
    const Result<void> read = read_task(*part.resolver, known);
    if (!read) co_return read.error();
    const bool is_known = known.job && known.index;
    if (is_known && is_step(part)) {
      const Result<ClusterSpec> step = co_await part.resolver->try_cluster_spec(options.next());
      if (!step) co_return step.error();
      const Result<void> fits = check_node(part, *step, known);
      if (!fits) co_return fits.error();
      const Result<void> agrees = check_launcher(*process_environment(), task_declared_by(part, *known.job, *known.index), *step);
      if (!agrees) co_return agrees.error();
    }
    if (is_known) {
      if (&part == &parts.front()) {  // tasks of later parts come after its own
        reported.answer = task_declared_by(part, *known.job, *known.index);
        co_return reported;
      }
      const Result<ClusterSpec> own = co_await part.resolver->try_cluster_spec(options.next());
      if (!own) co_return own.error();
      if (!own->has_job(*known.job)) {
        reported.answer = task_declared_by(part, *known.job, *known.index);
        co_return reported;
      }
      const Result<std::string> address = own->task_address(*known.job, *known.index);
      if (!address) co_return address.error();
      reported.answer = place_of(spec, part, *known.job, *address);
      co_return reported;
    }
    if (is_step(part)) {
      reported.answer = none_of_its_tasks(part);
      co_return reported;
    }
    if (parts.size() == 1) reported.known = known;  // the half that is known narrows the search
  }
  co_return reported;
}

constexpr std::string_view task_hint =
    "say it: type= and task= in the target, or --task JOB:INDEX of exec, spec and flags; rollcall whoami shows what each launcher says "
    "(docs/who-am-i.md)";

// A TF_CONFIG, a list of nodes and a rank that were copied from another machine say which task that one is.
Result<void> check_declared(const ClusterSpec& spec, const std::vector<Member>& members, const std::vector<ClusterPart>& parts,
                            const OwnTask& task) {
  for (const ClusterPart& part : parts) {
    if (!knows_own_task(part.target)) continue;
    if (names_own_task(part.target)) return {};
    Result<void> fits = check_own_machine(spec, *process_environment(), own_machine(), task, part.resolver->describe(), members);
    if (fits) return fits;
    Failure failure = fits.error();
    return failure.with_hint("unset the variables that are left over or copied; or " + std::string(task_hint));
  }
  return {};
}

Result<OwnTask> find_by_machine(const ClusterSpec& spec, const std::vector<Member>& members, const std::vector<ClusterPart>& parts,
                                const KnownTask& known) {
  Result<OwnTask> found = rollcall::find_own_task(parts.front().resolver->runtime(), spec, known, members);
  if (found) return found;
  Failure failure = found.error();
  failure.with_what(fmt::format("which task of {} this machine is cannot be told: {}", parts.front().resolver->describe(), failure.what()));
  return failure.with_hint(failure.hint().empty() ? std::string(task_hint) : failure.hint() + "; or " + std::string(task_hint));
}

}  // namespace

Result<void> check_is_started_as_task(const std::vector<ClusterPart>& parts) {
  for (const ClusterPart& part : parts) {
    if (!words_outside_of_step(part).empty()) return none_of_its_tasks(part);
  }
  return {};
}

bool counts_within_part() {
  const std::vector<Testimony> witnesses = hear_witnesses(*process_environment());
  return std::any_of(witnesses.begin(), witnesses.end(), [](const Testimony& said) { return said.scope == TestimonyScope::part; });
}

asio::awaitable<Result<OwnTask>> find_own_task(ClusterSpec spec, std::vector<Member> members, std::vector<ClusterPart> parts,
                                               QuestionOptions options) {
  const Result<PartsTask> reported = co_await ask_parts(spec, parts, std::move(options));
  if (!reported) co_return reported.error();
  Result<OwnTask> task = reported->answer ? *reported->answer : find_by_machine(spec, members, parts, reported->known);
  if (!task) co_return task;
  if (reported->answer && !spec.has_job(task->job)) {
    const Result<void> fine = check_launched_task(spec, LaunchedTask(task->job, task->index));
    if (!fine) co_return fine.error();
  }
  if (reported->answer) {
    const Result<void> fits = check_declared(spec, members, parts, *task);
    if (!fits) co_return fits.error();
  }
  const Result<void> agrees = check_launcher(*process_environment(), *task, spec);
  if (!agrees) co_return agrees.error();
  co_return task;
}

asio::awaitable<Result<std::optional<OwnTask>>> find_declared_own_task(ClusterSpec spec, std::vector<Member> members,
                                                                       std::vector<ClusterPart> parts, QuestionOptions options) {
  using Found = std::optional<OwnTask>;
  const Result<PartsTask> reported = co_await ask_parts(spec, parts, std::move(options));
  if (!reported) co_return reported.error();
  if (reported->answer) co_return *reported->answer ? Found(**reported->answer) : Found();
  Result<OwnTask> found = find_by_machine(spec, members, parts, reported->known);
  if (!found) found = rollcall::find_own_task(spec, *fixed_environment({}), own_machine(), reported->known);
  co_return found ? Found(*std::move(found)) : Found();
}

}  // namespace rollcall::command
