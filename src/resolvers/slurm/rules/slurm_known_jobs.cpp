#include "resolvers/slurm/rules/slurm_known_jobs.hpp"

#include <algorithm>
#include <tuple>

#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

constexpr Duration waiting_is_old = std::chrono::seconds(30);
constexpr Duration running_is_old = std::chrono::minutes(2);
constexpr Duration unwanted_for = std::chrono::minutes(10);
constexpr std::size_t max_old_ones = 64;   // in one round
constexpr std::size_t max_one_by_one = 500;  // in one round: a second or two of slurmrestd
constexpr std::size_t few_slurm_jobs = 64;
constexpr std::size_t rows_a_job = 6;  // a question for one job costs as much as so many jobs of the list of all [facts: slurm-job-cost]
constexpr std::uint64_t node_looks_a_round = 2'000'000;

bool is_old(const SlurmKnownJob& job, SteadyTime now) {
  return !job.is_over && now - job.asked_at >= (job.is_waiting ? waiting_is_old : running_is_old);
}

void add_shown_nodes(const SlurmJobRecord& record, SlurmKnownJob& job) {
  if (record.is_pending() || record.is_over()) return;
  const Result<std::vector<std::string>> nodes = expand_host_list(record.nodes);
  if (nodes) job.nodes.insert(job.nodes.end(), nodes->begin(), nodes->end());
}

}  // namespace

SlurmRoundPlan SlurmKnownJobs::plan(const std::set<std::int64_t>& wanted, const SlurmMarks* marks, bool may_list, SteadyTime now) {
  // Unknown ones first, then those that have changed, then the oldest.
  using Urgency = std::tuple<int, SteadyTime, std::int64_t>;
  std::vector<Urgency> due;
  std::vector<Urgency> old;
  SlurmRoundPlan plan;
  for (const std::int64_t id : wanted) {
    SlurmKnownJob& job = jobs_[id];
    job.wanted_at = now;
    const bool is_unknown = !job.is_known || job.failure;
    const std::uint64_t mark = marks && !is_unknown ? marks->of(job.numbers) : 0;
    // A job that is not listed is asked for by itself: Slurm may have forgotten it, or hide it from lists.
    const bool is_listed =
        marks && std::any_of(job.numbers.begin(), job.numbers.end(), [&](std::int64_t one) { return marks->of(one) != 0; });
    if (is_unknown) {
      ++plan.unknown;
      due.emplace_back(0, job.asked_at, id);
    } else if (!marks || !is_listed || mark != job.mark) {
      due.emplace_back(1, job.asked_at, id);
    } else if (is_old(job, now)) {
      old.emplace_back(2, job.asked_at, id);
    }
  }
  std::sort(due.begin(), due.end());
  std::sort(old.begin(), old.end());
  const std::size_t rows = marks ? marks->rows() : 0;
  plan.by_list = may_list && due.size() > few_slurm_jobs && due.size() * rows_a_job > rows;
  if (!plan.by_list && due.size() > max_one_by_one) due.resize(max_one_by_one);
  old.resize(std::min(old.size(), max_old_ones));
  for (const std::vector<Urgency>* const part : {&due, &old}) {
    for (const auto& [urgency, at, id] : *part) plan.ids.push_back(id);
  }
  return plan;
}

void SlurmKnownJobs::take(std::int64_t id, std::vector<SlurmJobRecord> records, const SlurmMarks* marks, SteadyTime now) {
  SlurmKnownJob& job = jobs_[id];
  job.is_known = true;
  job.records = std::move(records);
  job.failure.reset();
  job.revision = ++last_revision_;
  job.asked_at = now;
  job.nodes_seen = snapshots_;
  job.numbers.clear();
  job.nodes.clear();
  job.is_waiting = false;
  job.is_over = true;
  for (const SlurmJobRecord& record : job.records) {
    job.numbers.push_back(record.id);
    job.is_waiting = job.is_waiting || record.is_pending();
    job.is_over = job.is_over && record.is_over();
    add_shown_nodes(record, job);
  }
  std::sort(job.numbers.begin(), job.numbers.end());
  job.mark = marks ? marks->of(job.numbers) : 0;
}

void SlurmKnownJobs::fail(std::int64_t id, Failure failure) {
  SlurmKnownJob& job = jobs_[id];
  job.failure = std::move(failure);
  job.revision = 0;
}

void SlurmKnownJobs::take_nodes(const std::set<std::int64_t>& wanted, SlurmNodesPointer nodes) {
  ++rounds_;
  std::unordered_set<std::string> changed;
  if (nodes && nodes_ && nodes != nodes_) changed = changed_slurm_nodes(*nodes_, *nodes);
  if (!nodes_ || !nodes || !changed.empty()) ++snapshots_;
  if (nodes) nodes_ = std::move(nodes);
  const std::uint64_t turns = 1 + (nodes_ ? nodes_->nodes.size() : 0) * wanted.size() / node_looks_a_round;
  for (const std::int64_t id : wanted) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) continue;
    SlurmKnownJob& job = found->second;
    const bool is_turn = (static_cast<std::uint64_t>(id) + rounds_) % turns == 0;
    const bool is_explained_anew = job.is_waiting && job.nodes_seen != snapshots_ && is_turn;
    const bool is_moved =
        std::any_of(job.nodes.begin(), job.nodes.end(), [&changed](const std::string& name) { return changed.contains(name); });
    if (is_explained_anew) job.nodes_seen = snapshots_;
    if ((is_explained_anew || is_moved) && job.revision != 0) job.revision = ++last_revision_;
  }
}

const SlurmKnownJob* SlurmKnownJobs::find(std::int64_t id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() || (!found->second.is_known && !found->second.failure) ? nullptr : &found->second;
}

void SlurmKnownJobs::forget_old(SteadyTime now) {
  std::erase_if(jobs_, [now](const auto& one) { return now - one.second.wanted_at >= unwanted_for; });
}

std::vector<SlurmJobRecord> slurm_records_for(const SlurmReference& wanted, const std::vector<SlurmJobRecord>& records) {
  if (!wanted.task || records.empty()) return records;
  std::vector<SlurmJobRecord> own;
  for (const SlurmJobRecord& record : records) {
    if (record.array_task == wanted.task) return {record};
    if (!record.array_task) own.push_back(record);  // of the tasks that wait
  }
  if (own.empty()) own.push_back(records.front());  // the job is there, without that task
  return own;
}

}  // namespace rollcall
