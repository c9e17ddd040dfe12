// ClusterSpec: the value itself. Its JSON and ClusterDef forms are in cluster_json.cpp and cluster_def.cpp.
#include "rollcall/cluster_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_job_length = 1'048'576;

constexpr std::size_t few_jobs = 16;  // up to this number a linear search is faster than a map, and needs no memory for it

Failure no_such_job(const std::vector<ClusterSpec::Job>& jobs, std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < jobs.size() && i < 8; ++i) known += (i == 0 ? "" : ", ") + quoted(jobs[i].name, 64);
  if (jobs.size() > 8) known += ", …";
  return Failure(Errc::not_found, fmt::format("no job {} in the cluster", quoted(name)))
      .with_hint(jobs.empty() ? "the cluster has no jobs" : "its jobs are " + known);
}

std::vector<const ClusterSpec::Job*> sorted_by_name(const std::vector<ClusterSpec::Job>& jobs) {
  std::vector<const ClusterSpec::Job*> sorted;
  for (const ClusterSpec::Job& job : jobs) sorted.push_back(&job);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return sorted;
}

}  // namespace

void ClusterSpec::set_job(std::string name, std::vector<std::string> addresses) {
  Tasks tasks;
  tasks.reserve(addresses.size());
  int index = 0;
  for (std::string& address : addresses) tasks.emplace(index++, std::move(address));
  (void)set_job(std::move(name), std::move(tasks));
}

Result<void> ClusterSpec::set_job(std::string name, Tasks tasks) {
  if (!tasks.empty() && tasks.begin()->first < 0) {
    return Failure(Errc::invalid_argument, fmt::format("job {}: task index {} is negative", quoted(name), tasks.begin()->first));
  }
  const std::size_t place = place_of(name);
  if (place < jobs_.size()) {
    jobs_[place].tasks = std::move(tasks);
    return {};
  }
  jobs_.emplace_back(std::move(name), std::move(tasks));
  if (jobs_.size() <= few_jobs) return {};
  if (jobs_.size() == few_jobs + 1) {
    Places::Map& places = places_.renew();
    for (std::size_t i = 0; i < few_jobs; ++i) places.emplace(jobs_[i].name, i);
  }
  places_.map().emplace(jobs_.back().name, place);
  return {};
}

std::size_t ClusterSpec::place_of(std::string_view job) const noexcept {
  if (jobs_.size() > few_jobs) {
    const auto place = places_.map().find(job);
    return place == places_.map().end() ? jobs_.size() : place->second;
  }
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [job](const Job& one) { return one.name == job; });
  return static_cast<std::size_t>(found - jobs_.begin());
}

std::vector<std::string> ClusterSpec::jobs() const {
  std::vector<std::string> names;
  for (const Job& job : jobs_) names.push_back(job.name);
  return names;
}

bool ClusterSpec::has_job(std::string_view job) const noexcept { return place_of(job) < jobs_.size(); }

Result<int> ClusterSpec::num_tasks(std::string_view job) const {
  const std::size_t place = place_of(job);
  if (place == jobs_.size()) return no_such_job(jobs_, job);
  const Job* const found = &jobs_[place];
  return static_cast<int>(found->tasks.size());
}

Result<std::vector<int>> ClusterSpec::task_indices(std::string_view job) const {
  const std::size_t place = place_of(job);
  if (place == jobs_.size()) return no_such_job(jobs_, job);
  const Job* const found = &jobs_[place];
  std::vector<int> indices;
  for (const auto& task : found->tasks) indices.push_back(task.first);
  return indices;
}

Result<std::string> ClusterSpec::task_address(std::string_view job, int index) const {
  const std::size_t place = place_of(job);
  if (place == jobs_.size()) return no_such_job(jobs_, job);
  const Job* const found = &jobs_[place];
  const auto task = found->tasks.find(index);
  if (task != found->tasks.end()) return task->second;
  Failure none(Errc::not_found, fmt::format("no task {} in job {}, which has {} {}", index, quoted(job), found->tasks.size(),
                                            found->tasks.size() == 1 ? "task" : "tasks"));
  if (!found->tasks.empty())
    none.with_hint(fmt::format("the first is {}, the last {}", found->tasks.begin()->first, found->tasks.rbegin()->first));
  return none;
}

Result<std::vector<std::optional<std::string>>> ClusterSpec::job_tasks(std::string_view job) const {
  const std::size_t place = place_of(job);
  if (place == jobs_.size()) return no_such_job(jobs_, job);
  const Job* const found = &jobs_[place];
  std::vector<std::optional<std::string>> list;
  if (found->tasks.empty()) return list;
  const std::size_t length = static_cast<std::size_t>(found->tasks.rbegin()->first) + 1;
  if (length > max_job_length) {
    return Failure(Errc::limit_exceeded,
                   fmt::format("job {} as a list would have {} places, over the limit of {}", quoted(job), length, max_job_length))
        .with_hint("use task_indices() and task_address()");
  }
  list.resize(length);
  for (const auto& [index, address] : found->tasks) list[static_cast<std::size_t>(index)] = address;
  return list;
}

bool ClusterSpec::is_dense(const Tasks& tasks) noexcept {
  return !tasks.empty() && tasks.begin()->first == 0 && static_cast<std::size_t>(tasks.rbegin()->first) + 1 == tasks.size();
}

bool operator==(const ClusterSpec& a, const ClusterSpec& b) {
  if (a.jobs_.size() != b.jobs_.size()) return false;
  const auto left = sorted_by_name(a.jobs_);
  const auto right = sorted_by_name(b.jobs_);
  return std::equal(left.begin(), left.end(), right.begin(), [](const auto* x, const auto* y) { return *x == *y; });
}

std::string ClusterSpec::to_text() const {
  std::string text = "ClusterSpec({";
  bool is_first_job = true;
  for (const Job* job : sorted_by_name(jobs_)) {
    if (!is_first_job) text += ", ";
    is_first_job = false;
    const bool is_list = is_dense(job->tasks);
    text += python_repr(job->name) + (is_list ? ": [" : ": {");
    bool is_first_task = true;
    for (const auto& [index, address] : job->tasks) {
      if (!is_first_task) text += ", ";
      is_first_task = false;
      if (!is_list) text += fmt::format("{}: ", index);
      text += python_repr(address);
    }
    text += is_list ? ']' : '}';
  }
  return text + "})";
}

}  // namespace rollcall
