// What a started program is told of its cluster: environment variables. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rollcall/launch.hpp"

namespace rollcall {

/// TF_CONFIG (`task` only where that is known), ROLLCALL_CLUSTER (JSON, jobs and addresses), ROLLCALL_NUM_TASKS (of all jobs),
/// ROLLCALL_ADDRESSES (all, joined by commas, jobs in the cluster's order), and where the task is known ROLLCALL_JOB_NAME,
/// ROLLCALL_TASK_INDEX and ROLLCALL_ADDRESS. A task whose job the cluster does not list, as an evaluator's, has no address. Errors:
/// not_found (the job has no such task), invalid_argument (an address that is no word for a program).
Result<EnvironmentVariables> render_job_environment(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                                                    const std::optional<std::string>& rpc_layer);

/// `{"cluster":…,"task":{"type":"worker","index":0},"rpc_layer":"grpc"}`, without what is not known. Source: TensorFlow's TF_CONFIG.
std::string render_tf_config(const ClusterSpec& spec, const std::optional<LaunchedTask>& task, const std::optional<std::string>& rpc_layer);

/// What a program takes for one word, and for no option: nothing hidden in it, no blank, no comma, no hyphen in front. What services give
/// for an address always is; what users give need not be.
bool is_word_for_program(std::string_view text);

/// All names of the above, and those of the count of restarts and of the generation: what an outer rollcall exec set must not reach the
/// program.
std::span<const std::string_view> job_environment_names() noexcept;

}  // namespace rollcall
