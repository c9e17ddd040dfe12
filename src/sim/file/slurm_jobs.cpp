// The jobs of the section `slurm` of a simulation file.
#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "sim/file/slurm_draft.hpp"

namespace rollcall::sim {
namespace {

constexpr std::int64_t max_slurm_number = 2'000'000'000;
constexpr Duration credential_life = std::chrono::seconds(121);  // so long a requeued job is held back

struct SlurmJobDraft {
  SlurmJobModel job;
  SlurmJobChange first;
  std::vector<SlurmJobMoment> timeline;
  std::optional<Duration> running_after;
};

struct SlurmEnd {
  std::string_view state;
  std::string_view reason;
  int exit_code = 0;
};
constexpr SlurmEnd slurm_ends[] = {
    {"COMPLETED", ""},        {"COMPLETING", ""},        {"CANCELLED", ""}, {"PREEMPTED", ""},        {"FAILED", "NonZeroExitCode", 1},
    {"TIMEOUT", "TimeLimit"}, {"NODE_FAIL", "NodeDown"}, {"BOOT_FAIL", ""}, {"DEADLINE", "DeadLine"}, {"OUT_OF_MEMORY", "OutOfMemory"}};

const SlurmEnd* end_of(std::string_view state) {
  const auto found = std::find_if(std::begin(slurm_ends), std::end(slurm_ends), [&](const SlurmEnd& one) { return one.state == state; });
  return found == std::end(slurm_ends) ? nullptr : &*found;
}

// The state after `previous` and a change, which has what is not named as it was before; null: the job is new.
SlurmJobMoment following(const SlurmJobMoment* previous, SlurmJobChange change) {
  SlurmJobMoment next = std::move(change.moment);
  if (!previous) next.eligible = next.at;
  if (change.state) {
    next.state = *std::move(change.state);
    next.reason.clear();
    next.description.clear();
    const bool was_running = previous && (previous->has_nodes() || end_of(previous->state));
    if (next.is_pending() && was_running) {
      ++next.restarts;
      next.eligible = saturating_sum(next.at, credential_life);
      next.reason = "BeginTime";
    }
    if (next.is_pending()) next.started.reset();
    if (next.has_nodes() && !next.started) next.started = next.at;
    const SlurmEnd* const end = end_of(next.state);
    if (end && !next.ended) next.ended = next.at;
    if (!end) next.ended.reset();
    if (end) next.reason = end->reason;
    next.exit_code = end ? end->exit_code : 0;
    next.signal = 0;
  }
  if (change.reason) next.reason = *std::move(change.reason);
  if (change.description) next.description = *std::move(change.description);
  if (change.signal) next.exit_code = 0;
  if (change.signal) next.signal = *change.signal;
  if (change.exit_code) next.exit_code = *change.exit_code;
  return next;
}

constexpr auto slurm_job_moment_form = file_form<SlurmJobChange>(
    "slurm_job_moment", member<&SlurmJobChange::moment, &SlurmJobMoment::at>("at"),
    word<&SlurmJobChange::state>("state", "state", slurm_job_words), member<&SlurmJobChange::moment, &SlurmJobMoment::flags>("flags"),
    member<&SlurmJobChange::reason>("reason"), member<&SlurmJobChange::description>("description"),
    member<&SlurmJobChange::moment, &SlurmJobMoment::nodes>("nodes"),
    member<&SlurmJobChange::moment, &SlurmJobMoment::expected_start>("expected_start"),
    member<&SlurmJobChange::moment, &SlurmJobMoment::grace>("grace"), whole<&SlurmJobChange::exit_code>("exit_code", 0, 255),
    whole<&SlurmJobChange::signal>("signal", 1, 64), member<&SlurmJobChange::moment, &SlurmJobMoment::raw>("raw"));

void read_slurm_job_moment(SlurmJobDraft& draft, const FileValue& value) {
  const std::optional<SlurmJobMoment> before = draft.timeline.empty() ? std::nullopt : std::optional<SlurmJobMoment>(draft.timeline.back());
  SlurmJobChange change = draft.first;
  if (before) {
    change = SlurmJobChange();
    change.moment = *before;
    change.moment.at = Duration(0);
    change.moment.flags.clear();
    change.moment.expected_start.reset();
    change.moment.grace.reset();
  }
  read_object(value, slurm_job_moment_form, change);
  if (!value.has_problem()) append_moment(draft.timeline, following(before ? &*before : nullptr, std::move(change)), value);
}

template <auto Member>
constexpr auto job_text(std::string_view name) {
  return member<&SlurmJobDraft::job, Member>(name);
}

template <auto Member>
constexpr auto job_number(std::string_view name, std::int64_t low, std::int64_t high = max_slurm_number) {
  return whole<&SlurmJobDraft::job, Member>(name, low, high);
}

constexpr auto slurm_job_form = file_form<SlurmJobDraft>(
    "slurm_job", job_number<&SlurmJobModel::id>("id", 1), id<&SlurmJobDraft::job, &SlurmJobModel::name>("name", "name of a job"),
    id<&SlurmJobDraft::job, &SlurmJobModel::user>("user", "name of a user"), job_text<&SlurmJobModel::account>("account"),
    job_text<&SlurmJobModel::qos>("qos"), job_text<&SlurmJobModel::partition>("partition"),
    job_text<&SlurmJobModel::required_nodes>("required_nodes"), job_text<&SlurmJobModel::excluded_nodes>("excluded_nodes"),
    job_text<&SlurmJobModel::features>("features"), job_text<&SlurmJobModel::tres_per_job>("tres_per_job"),
    job_text<&SlurmJobModel::tres_per_node>("tres_per_node"), job_text<&SlurmJobModel::tres_per_task>("tres_per_task"),
    job_text<&SlurmJobModel::dependency>("dependency"), job_text<&SlurmJobModel::licenses>("licenses"),
    job_text<&SlurmJobModel::reservation>("reservation"), job_text<&SlurmJobModel::admin_comment>("admin_comment"),
    job_number<&SlurmJobModel::node_count>("node_count", 1, 1'000'000),
    job_number<&SlurmJobModel::tasks_per_node>("tasks_per_node", 1, 1'000'000),
    job_number<&SlurmJobModel::cpus_per_node>("cpus_per_node", 1, 1'000'000),
    job_number<&SlurmJobModel::memory_per_node>("memory_per_node", 0), job_text<&SlurmJobModel::time_limit>("time_limit"),
    job_number<&SlurmJobModel::array_job>("array_job", 1), job_number<&SlurmJobModel::array_task>("array_task", 0),
    job_text<&SlurmJobModel::array_tasks>("array_tasks"), job_number<&SlurmJobModel::het_job>("het_job", 1),
    job_number<&SlurmJobModel::het_offset>("het_offset", 0, 127), keys_of<slurm_job_moment_form, 1, &SlurmJobDraft::first>(),
    member<&SlurmJobDraft::running_after>("running_after"), each<read_slurm_job_moment, describe<slurm_job_moment_form>>("timeline"));

// A job that starts once and goes on.
void complete_timeline(SlurmJobDraft& draft) {
  if (draft.timeline.empty()) draft.timeline.push_back(following(nullptr, draft.first));
  if (!draft.running_after) return;
  SlurmJobChange run;
  run.moment = draft.timeline.front();
  run.moment.at = *draft.running_after;
  run.moment.expected_start.reset();
  run.state = "RUNNING";
  const bool is_at_once = *draft.running_after <= Duration(0);
  SlurmJobMoment running = following(is_at_once ? nullptr : &draft.timeline.front(), std::move(run));
  if (is_at_once) draft.timeline.clear();
  draft.timeline.push_back(std::move(running));
}

std::optional<std::string> check_job(SlurmDraft& draft, const SlurmJobModel& job) {
  if (job.id == 0) return "a job needs an id";
  if (job.array_job == 0 && (job.array_task || !job.array_tasks.empty())) return "array_task and array_tasks need an array_job";
  if (job.het_job == 0 && job.het_offset > 0) return "het_offset needs a het_job";
  if (!draft.job_ids.insert(job.id).second) return fmt::format("there are two jobs {}", job.id);
  if (draft.job_ids.size() > max_slurm_jobs) return fmt::format("there may be at most {} jobs", max_slurm_jobs);
  return std::nullopt;
}

// The nodes of each state must be there; their number is the job's where the file does not say it.
void check_nodes(const SlurmDraft& draft, SlurmJobModel& job, const FileValue& value) {
  std::string last;
  for (const SlurmJobMoment& moment : job.timeline) {
    if (moment.nodes.empty() && moment.has_nodes()) return value.complain(fmt::format("nodes: a job that is {} needs some", moment.state));
    if (moment.nodes == last) continue;
    last = moment.nodes;
    const std::vector<std::string> hosts = read_slurm_hosts(moment.nodes, value);
    if (job.node_count == 0) job.node_count = static_cast<int>(hosts.size());
    for (const std::string& host : hosts) {
      if (!draft.node_names.contains(host)) return value.complain(fmt::format("nodes: there is no node {}", quoted(host)));
    }
  }
  job.node_count = std::max(job.node_count, 1);
}

}  // namespace

void read_slurm_job(SlurmDraft& draft, const FileValue& value) {
  SlurmJobDraft own;
  own.job.user = draft.cluster.user;
  read_object(value, slurm_job_form, own);
  if (value.has_problem()) return;
  const bool is_other = !own.timeline.empty() || (own.first.state && *own.first.state != "PENDING");
  if (own.running_after && is_other) return value.complain("running_after: give it, or a timeline or another state");
  complete_timeline(own);
  own.job.timeline = std::move(own.timeline);
  if (auto wrong = check_job(draft, own.job)) return value.complain(*std::move(wrong));
  check_nodes(draft, own.job, value);
  if (!value.has_problem()) draft.cluster.jobs.push_back(std::move(own.job));
}

void describe_slurm_job(FileSections& out) { describe<slurm_job_form>(out); }

}  // namespace rollcall::sim
