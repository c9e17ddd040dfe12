#include "meeting/rules/roll_stages.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/saturating.hpp"

namespace rollcall::meeting {

std::optional<std::uint8_t> RollStages::number_of(std::string_view name) {
  const auto at = std::find_if(names_.begin(), names_.end(), [name](const Name& one) { return one.text == name; });
  if (at != names_.end()) return static_cast<std::uint8_t>(at - names_.begin());
  if (names_.size() == max_names) return std::nullopt;
  names_.emplace_back().text = name;
  return static_cast<std::uint8_t>(names_.size() - 1);
}

void RollStages::take(std::size_t task, const std::vector<StageSpan>& stages, SteadyTime now) {
  Task& kept = tasks_[task];
  kept.at = now;
  kept.stages.clear();
  const std::size_t first = stages.size() - std::min(stages.size(), max_stages);
  for (std::size_t i = first; i < stages.size(); ++i) {
    const StageSpan& stage = stages[i];
    const std::optional<std::uint8_t> name = number_of(stage.name);
    if (!name) continue;
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(stage.time).count();
    Kept one;
    one.milliseconds = static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole, 0, std::numeric_limits<std::uint32_t>::max()));
    one.name = *name;
    one.exit_status = static_cast<std::uint8_t>(stage.exit_status);
    one.is_over = stage.is_over;
    kept.stages.push_back(one);
  }
  kept.stages.shrink_to_fit();
}

// A stage that is not over goes on within one that began before it, so the last of those is the innermost.
std::optional<LastStage> RollStages::last(std::size_t task, SteadyTime now) const {
  const Task& kept = tasks_[task];
  if (kept.stages.empty()) return std::nullopt;
  const auto running = std::find_if(kept.stages.rbegin(), kept.stages.rend(), [](const Kept& stage) { return !stage.is_over; });
  const Kept& stage = running == kept.stages.rend() ? kept.stages.back() : *running;
  LastStage last;
  last.name = names_[stage.name].text;
  last.time = std::chrono::milliseconds(stage.milliseconds);
  if (!stage.is_over) last.time += saturating_difference(now, kept.at);
  last.is_over = stage.is_over;
  last.exit_status = stage.exit_status;
  return last;
}

// It looks at all tasks: not for each answer.
Duration RollStages::median(std::string_view name, SteadyTime now) const {
  constexpr Duration max_age = std::chrono::seconds(1);
  const auto at = std::find_if(names_.begin(), names_.end(), [name](const Name& one) { return one.text == name; });
  if (at == names_.end()) return {};
  if (!at->median_at || now - *at->median_at >= max_age) {
    at->median = median_now(static_cast<std::uint8_t>(at - names_.begin()));
    at->median_at = now;
  }
  return at->median;
}

Duration RollStages::median_now(std::uint8_t name) const {
  std::vector<std::uint32_t> times;
  for (const Task& task : tasks_) {
    const auto last = std::find_if(task.stages.rbegin(), task.stages.rend(), [name](const Kept& stage) { return stage.name == name; });
    if (last != task.stages.rend() && last->is_over && last->exit_status == 0) times.push_back(last->milliseconds);
  }
  if (times.empty()) return {};
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return std::chrono::milliseconds(*middle);
}

}  // namespace rollcall::meeting
