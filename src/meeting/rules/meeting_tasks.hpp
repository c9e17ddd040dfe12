// The tasks that meet, and those of them at which the others meet. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::meeting {

class MeetingTask {
 public:
  MeetingTask() {}
  MeetingTask(std::string task_name, Endpoint at) : name(std::move(task_name)), address(std::move(at)) {}
  std::string name;  ///< `worker:3`
  Endpoint address;
};

/// All tasks, job by job in the cluster's order, indices ascending. Errors: invalid_argument: no task, an address that is none, two tasks
/// at one address.
Result<std::vector<MeetingTask>> meeting_tasks(const ClusterSpec& spec);

/// The place of a task in the list. Errors: invalid_argument: it is none of them.
Result<std::size_t> place_of(const std::vector<MeetingTask>& tasks, const LaunchedTask& task);

/// The tasks that keep the roll, by their place in `tasks`, ascending: the first, and those at a third and two thirds of the list, moved on
/// to the next host where two would be on one. Neighbours in a list share racks and switches, so three that stand apart are lost together
/// least often.
std::vector<std::size_t> gatherers_of(const std::vector<MeetingTask>& tasks);

}  // namespace rollcall::meeting
