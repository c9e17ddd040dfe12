// The environment variables that describe the cluster to a started program. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rollcall/launch.hpp"

namespace rollcall {

/// True if a process may be this task: one of the cluster's, or an evaluator, which stands outside the cluster. A cluster without jobs
/// knows no tasks and refuses none. Errors: not_found, with the jobs or the tasks that there are.
Result<void> check_launched_task(const ClusterSpec& spec, const LaunchedTask& task);

/// TF_CONFIG (`task` only if it is known), ROLLCALL_CLUSTER (JSON, jobs and addresses), ROLLCALL_NUM_TASKS (of all jobs),
/// ROLLCALL_ADDRESSES (all, joined by commas, jobs in the cluster's order), and if the task is known ROLLCALL_JOB_NAME,
/// ROLLCALL_TASK_INDEX and ROLLCALL_ADDRESS. An evaluator has no address if its job is not in the cluster. Errors: not_found
/// (check_launched_task()), invalid_argument (an address for which is_word_for_program() is false).
Result<EnvironmentVariables> render_job_environment(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                                                    const std::optional<std::string>& rpc_layer);

/// `{"cluster":…,"task":{"type":"worker","index":0},"rpc_layer":"grpc"}`, without unknown parts. Source: TensorFlow's TF_CONFIG.
std::string render_tf_config(const ClusterSpec& spec, const std::optional<LaunchedTask>& task, const std::optional<std::string>& rpc_layer);

/// `rendered` with the members of `outside`, another TF_CONFIG, that this library does not write, such as `environment`. Only if `outside`
/// describes the same cluster, and the variable does not become too long: else `rendered`.
std::string with_other_members(std::string rendered, std::string_view outside, const ClusterSpec& spec);

/// True for a text that a program reads as one word and not as an option: no invisible characters, blanks or commas, and no hyphen at the
/// start. Addresses from services always pass this check; addresses from users may not.
bool is_word_for_program(std::string_view text);

/// The names of all these variables, and of the restart count and the generation. Values that an outer rollcall exec has set must not reach
/// the program.
std::span<const std::string_view> job_environment_names() noexcept;

}  // namespace rollcall
