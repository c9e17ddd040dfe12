// Finds which task of a cluster this process is.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/own_task.hpp"

namespace rollcall::command {

/// True if a variable of this process counts within a part of a job, such as a slice: then the members say which part it is.
bool counts_within_part();

/// The task that a target's environment declares, of several targets the first that does; else the task that rollcall::find_own_task()
/// finds by variables and by this machine's addresses. Never a guess. `spec`: all `parts`, at least one, as one cluster; `members`:
/// what is known of its tasks, may be empty. A part is asked
/// for its own cluster where tasks of the same job of other parts come before its own. May suspend; cancellable. Errors: those of
/// rollcall::find_own_task(); not_found (this process is none of the tasks); a malformed declaration; those of the part that was asked.
asio::awaitable<Result<OwnTask>> find_own_task(ClusterSpec spec, std::vector<Member> members, std::vector<ClusterPart> parts,
                                               QuestionOptions options);

/// The same for programs that do not need their task: none if it cannot be found. Where variables contradict this machine's address, the
/// address counts. Errors: a malformed declaration, and those of the part that was asked.
asio::awaitable<Result<std::optional<OwnTask>>> find_declared_own_task(ClusterSpec spec, std::vector<Member> members,
                                                                       std::vector<ClusterPart> parts, QuestionOptions options);

/// Errors: not_found if a part is the nodes of a Slurm allocation, in whose batch script or shell this process runs: a program that is to
/// be one of its tasks is started by srun.
Result<void> check_is_started_as_task(const std::vector<ClusterPart>& parts);

}  // namespace rollcall::command
