#include "fleet/runs/run_desk.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "meeting/rules/task_list.hpp"

namespace rollcall::fleet {
namespace {

// After the last hello. Tasks that wait say hello at least each answer_pause().
Duration life_of_run(std::size_t tasks) { return meeting::answer_pause(tasks) + std::chrono::seconds(15); }

}  // namespace

// A process that the last release has reached says so to its roll. Every other one waits for the next start.
std::shared_ptr<meeting::RollKeeper> Run::roll_for(std::size_t task, const meeting::Hello& hello) {
  heard_at = runtime_->time->now();
  if (before_ && before_->roll().knows(task, hello.incarnation)) return before_;
  const bool is_over = latest_ && latest_->roll().is_released() && !latest_->roll().knows(task, hello.incarnation);
  // What a task does before the next start is shown once all have heard of the last one.
  const bool is_of_next =
      hello.stage == meeting::Stage::barrier || (hello.stage == meeting::Stage::coming && latest_ && latest_->roll().has_started());
  if (is_over && is_of_next) {
    before_ = latest_;
    latest_.reset();
  }
  if (!latest_) {
    latest_ = std::make_shared<meeting::RollKeeper>(runtime_, names_);
    begun_at_ = heard_at;
  }
  return latest_;
}

RunDesk::~RunDesk() = default;

Result<std::shared_ptr<Run>> RunDesk::find_or_begin(std::string_view name, std::string_view tasks, const std::string& holder) {
  sweep();
  if (const auto at = runs_.find(name); at != runs_.end()) {
    if (at->second->tasks == tasks) return at->second;
    return Failure(Errc::failed_precondition, "that run has another list of tasks");
  }
  Result<std::vector<std::string>> names = meeting::read_task_list(tasks);
  if (!names) return names.error();
  if (runs_.size() >= max_runs)
    return Failure(Errc::limit_exceeded, fmt::format("{} runs meet here, which is the limit", runs_.size())).with_hint("try again later");
  if (!tasks_.enter(holder, names->size()))
    return Failure(Errc::limit_exceeded, "the runs of this client have more tasks than it may have here").with_hint("try again later");
  auto run = std::make_shared<Run>(runtime_, std::string(tasks), std::move(*names), holder);
  run->heard_at = runtime_->time->now();
  runs_.emplace(name, run);
  return run;
}

std::vector<meeting::RunLine> RunDesk::lines() {
  sweep();
  const SteadyTime now = runtime_->time->now();
  std::vector<meeting::RunLine> lines;
  for (const auto& [name, run] : runs_) {
    if (!run->latest()) continue;
    run->latest()->judge();
    meeting::RunLine line;
    line.run = name;
    line.tasks = run->tasks;
    line.waiting_ms = std::chrono::duration_cast<std::chrono::milliseconds>(saturating_difference(now, run->begun_at())).count();
    line.roll = run->latest()->roll().answer();
    lines.push_back(std::move(line));
  }
  return lines;
}

// Not at each hello: it looks at all runs.
void RunDesk::sweep() {
  constexpr Duration pace = std::chrono::milliseconds(100);
  const SteadyTime now = runtime_->time->now();
  if (swept_at_ && now - *swept_at_ < pace) return;
  swept_at_ = now;
  for (auto at = runs_.begin(); at != runs_.end();) {
    const Run& run = *at->second;
    if (saturating_difference(now, run.heard_at) <= life_of_run(run.size())) {
      ++at;
      continue;
    }
    tasks_.leave(run.holder, run.size());
    at = runs_.erase(at);
  }
}

}  // namespace rollcall::fleet
