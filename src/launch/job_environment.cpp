#include "launch/job_environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "json/json_members.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view job_variables[] = {"TF_CONFIG",          "ROLLCALL_CLUSTER",       "ROLLCALL_NUM_TASKS",
                                              "ROLLCALL_ADDRESSES", "ROLLCALL_JOB_NAME",      "ROLLCALL_TASK_INDEX",
                                              "ROLLCALL_ADDRESS",   "ROLLCALL_RESTART_COUNT", "ROLLCALL_GENERATION"};

constexpr std::size_t max_tf_config = 120 * 1024;  // a variable has at most 128 KiB

Failure no_word(const std::string& job, int index, const std::string& address) {
  return Failure(Errc::invalid_argument, fmt::format("the address of {} {} is {}: it cannot be given to a program in a list of addresses",
                                                     printable(job, 80), index, quoted(address, 80)))
      .with_hint("write the cluster to a file: rollcall wait --format json");
}

}  // namespace

Result<void> check_launched_task(const ClusterSpec& spec, const LaunchedTask& task) {
  if (spec.has_job(task.job)) {
    const Result<std::string> address = spec.task_address(task.job, task.index);
    return address ? Result<void>() : Result<void>(address.error());
  }
  if (spec.empty() || task.job == "evaluator") return {};
  const std::vector<std::string> jobs = spec.jobs();
  const std::vector<std::string_view> names(jobs.begin(), jobs.end());
  const std::optional<std::string_view> near = nearest(task.job, names);
  return Failure(Errc::not_found,
                 fmt::format("this process is {} {}, and the cluster has no such job: its jobs are {}", printable(task.job, 80), task.index,
                             printable(fmt::format("{}", fmt::join(jobs, ", ")), 400)))
      .with_hint(near ? fmt::format("did you mean {}? only an evaluator may stand outside the cluster", printable(*near, 80))
                      : std::string("only an evaluator may stand outside the cluster"));
}

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

std::string with_other_members(std::string rendered, std::string_view outside, const ClusterSpec& spec) {
  const auto members = json_members("TF_CONFIG", outside);
  if (!members) return rendered;
  bool is_same = false;
  std::string others;
  for (const auto& [name, value] : *members) {
    if (name == "cluster") {
      const Result<ClusterSpec> cluster = ClusterSpec::from_json(value);
      is_same = cluster && *cluster == spec;
    } else if (name != "sparseCluster" && name != "task" && name != "rpc_layer") {
      others += ",";
      append_json_string(others, name);
      others += ":" + value;
    }
  }
  if (!is_same || rendered.size() + others.size() > max_tf_config) return rendered;
  rendered.insert(rendered.size() - 1, others);
  return rendered;
}

bool is_word_for_program(std::string_view text) {
  return !text.starts_with('-') && text.find_first_of(", ") == std::string_view::npos && printable_line(text) == text;
}

std::span<const std::string_view> job_environment_names() noexcept { return job_variables; }

Result<EnvironmentVariables> render_job_environment(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                                                    const std::optional<std::string>& rpc_layer) {
  const Result<void> fine = task ? check_launched_task(spec, *task) : Result<void>();
  if (!fine) return fine.error();
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
    if (spec.has_job(task->job)) variables.emplace_back("ROLLCALL_ADDRESS", *spec.task_address(task->job, task->index));
  }
  return variables;
}

}  // namespace rollcall
