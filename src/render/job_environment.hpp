// What a started program is told of its cluster: environment variables. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/cluster_spec.hpp"

namespace rollcall {

/// Which task a program is. Both or none.
class LaunchedTask {
 public:
  LaunchedTask() {}
  LaunchedTask(std::string in_job, int at_index) : job(std::move(in_job)), index(at_index) {}
  std::string job;
  int index = 0;
  friend bool operator==(const LaunchedTask&, const LaunchedTask&) = default;
};

using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

/// TF_CONFIG (`task` only where that is known), ROLLCALL_CLUSTER (JSON, jobs and addresses), ROLLCALL_NUM_TASKS (of all jobs),
/// ROLLCALL_ADDRESSES (all, joined by commas, jobs in the cluster's order), and where the task is known ROLLCALL_JOB_NAME,
/// ROLLCALL_TASK_INDEX and ROLLCALL_ADDRESS. A task whose job the cluster does not list, as an evaluator's, has no address. Errors:
/// not_found (the job has no such task), invalid_argument (an address that is no word for a program, a text with characters that do not
/// show), limit_exceeded (a variable is longer than the 128 KiB that Linux takes). Source: TensorFlow's TF_CONFIG.
Result<EnvironmentVariables> render_job_environment(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                                                    const std::optional<std::string>& rpc_layer);

/// What a program takes for one word, and for no option: nothing hidden in it, no blank, no comma, no hyphen in front. What services give
/// for an address always is; what users give need not be.
bool is_word_for_program(std::string_view text);

/// All names of the above, and that of the count of restarts: what an outer rollcall exec set must not reach the program.
std::span<const std::string_view> job_environment_names() noexcept;

/// The task whose address has one of `hosts` (this machine's addresses) as its host. None: no task, or several, or another one than
/// the half that is known otherwise (`known_job`, `known_index`) allows. Loopback and wildcard addresses are everybody's and prove nothing.
std::optional<LaunchedTask> find_own_task(const ClusterSpec& spec, std::span<const std::string> hosts,
                                          const std::optional<std::string>& known_job, const std::optional<int>& known_index);

}  // namespace rollcall
