// Which task of a cluster this process is.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/own_task.hpp"

namespace rollcall::command {

/// As a target tells whose surroundings know, and of several the first that does; else as rollcall::find_own_task() finds it by variables
/// and by this machine's addresses. Never a guess. `spec`: all `parts`, at least one, as one cluster. A part is asked for its own cluster
/// where other parts' tasks stand before its own, of the same job. May suspend; cancellable. Errors: those of rollcall::find_own_task();
/// not_found (this process is none of the tasks); what the surroundings say of the task makes no sense; those of the part that was asked.
asio::awaitable<Result<OwnTask>> find_own_task(ClusterSpec spec, std::vector<ClusterPart> parts, QuestionOptions options);

/// The same for programs that do without: none where it cannot be told. Where variables contradict this machine's address, the address
/// counts. Errors: what the surroundings say of the task makes no sense, and those of the part that was asked.
asio::awaitable<Result<std::optional<OwnTask>>> find_declared_own_task(ClusterSpec spec, std::vector<ClusterPart> parts,
                                                                       QuestionOptions options);

}  // namespace rollcall::command
