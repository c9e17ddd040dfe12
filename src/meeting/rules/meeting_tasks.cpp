#include "meeting/rules/meeting_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace rollcall::meeting {

Result<std::vector<MeetingTask>> meeting_tasks(const ClusterSpec& spec) {
  std::vector<MeetingTask> tasks;
  std::map<std::string, std::string> names;  // by address
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) {
      std::string name = fmt::format("{}:{}", job.name, index);
      Result<Endpoint> endpoint = Endpoint::parse(address);
      if (!endpoint) return Failure(Errc::invalid_argument, fmt::format("the address of {}: {}", name, endpoint.error().what()));
      const auto [at, is_new] = names.emplace(to_lower(endpoint->to_text()), name);
      if (!is_new)
        return Failure(Errc::invalid_argument, fmt::format("{} and {} have one address, {}", at->second, name, endpoint->to_text()));
      tasks.emplace_back(std::move(name), std::move(*endpoint));
    }
  }
  if (tasks.empty()) return Failure(Errc::invalid_argument, "the cluster has no task");
  return tasks;
}

Result<std::size_t> place_of(const std::vector<MeetingTask>& tasks, const LaunchedTask& task) {
  const std::string name = fmt::format("{}:{}", task.job, task.index);
  const auto at = std::find_if(tasks.begin(), tasks.end(), [&](const MeetingTask& one) { return one.name == name; });
  if (at != tasks.end()) return static_cast<std::size_t>(at - tasks.begin());
  return Failure(Errc::invalid_argument, fmt::format("{} is no task of the cluster", quoted(name, 80)));
}

std::vector<std::size_t> gatherers_of(const std::vector<MeetingTask>& tasks) {
  std::vector<std::size_t> chosen;
  const auto is_free = [&](std::size_t task) {
    return std::none_of(chosen.begin(), chosen.end(),
                        [&](std::size_t other) { return to_lower(tasks[other].address.host) == to_lower(tasks[task].address.host); });
  };
  for (const std::size_t third : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    std::size_t task = third * tasks.size() / 3;
    while (task < tasks.size() && !is_free(task)) ++task;
    if (task < tasks.size()) chosen.push_back(task);
  }
  return chosen;
}

}  // namespace rollcall::meeting
