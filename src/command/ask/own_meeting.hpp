// What a process needs to meet the other tasks of its cluster.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// A cluster, the task that this process is, and the run: all tasks of a run name the same.
class OwnMeeting {
 public:
  OwnMeeting() {}
  ClusterSpec spec;
  LaunchedTask task;
  std::string run;
};

/// Asks for the cluster of all `parts`, `together`. `given`: the values of the options, of which the task and the run's name count. `what`
/// is done there, for messages. May suspend; cancellable. Errors: those of the parts and of find_own_task(); failed_precondition (the
/// cluster is one slice of several).
asio::awaitable<Result<OwnMeeting>> ask_own_meeting(std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                                    LaunchFacts given, std::string what, QuestionOptions options);

}  // namespace rollcall::command
