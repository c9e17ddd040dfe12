#include "launch/job_environment.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view job_variables[] = {"TF_CONFIG",          "ROLLCALL_CLUSTER",       "ROLLCALL_NUM_TASKS",
                                              "ROLLCALL_ADDRESSES", "ROLLCALL_JOB_NAME",      "ROLLCALL_TASK_INDEX",
                                              "ROLLCALL_ADDRESS",   "ROLLCALL_RESTART_COUNT", "ROLLCALL_GENERATION"};

Failure no_word(const std::string& job, int index, const std::string& address) {
  return Failure(Errc::invalid_argument, fmt::format("the address of {} {} is {}: it cannot be given to a program in a list of addresses",
                                                     printable(job, 80), index, quoted(address, 80)))
      .with_hint("write the cluster to a file: rollcall wait --format json");
}

}  // namespace

std::string render_tf_config(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                             const std::optional<std::string>& rpc_layer) {
  std::string out = R"({"cluster":)" + spec.to_json();
  if (task) {
    out += R"(,"task":{)";
    append_json_field(out, "type", task->job);
    out += fmt::format(R"(,"index":{}}})", task->index);
  }
  if (rpc_layer && !rpc_layer->empty()) append_json_field(out, "rpc_layer", *rpc_layer);
  return out + "}";
}

bool is_word_for_program(std::string_view text) {
  return !text.starts_with('-') && text.find_first_of(", ") == std::string_view::npos && printable_line(text) == text;
}

std::span<const std::string_view> job_environment_names() noexcept { return job_variables; }

Result<EnvironmentVariables> render_job_environment(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                                                    const std::optional<std::string>& rpc_layer) {
  EnvironmentVariables variables;
  const std::string cluster = spec.to_json();
  variables.emplace_back("TF_CONFIG", render_tf_config(spec, task, rpc_layer));
  variables.emplace_back("ROLLCALL_CLUSTER", cluster);
  std::size_t tasks = 0;
  std::string addresses;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) {
      if (!is_word_for_program(address)) return no_word(job.name, index, address);
      addresses += (tasks++ == 0 ? "" : ",") + address;
    }
  }
  variables.emplace_back("ROLLCALL_NUM_TASKS", std::to_string(tasks));
  variables.emplace_back("ROLLCALL_ADDRESSES", std::move(addresses));
  if (task) {
    variables.emplace_back("ROLLCALL_JOB_NAME", task->job);
    variables.emplace_back("ROLLCALL_TASK_INDEX", std::to_string(task->index));
    if (spec.has_job(task->job)) {
      const Result<std::string> address = spec.task_address(task->job, task->index);
      if (!address) return address.error();
      variables.emplace_back("ROLLCALL_ADDRESS", *address);
    }
  }
  return variables;
}

}  // namespace rollcall
