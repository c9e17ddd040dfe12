#include "resolvers/slurm/wire/slurm_job.hpp"

#include <algorithm>
#include <span>

namespace rollcall {
namespace {

constexpr std::string_view slurm_ends[] = {"COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",       "NODE_FAIL",
                                           "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"};
// Flags that v0.0.36 to v0.0.39 write in the place of the base.
constexpr std::string_view slurm_running_flags[] = {"CONFIGURING", "POWER_UP_NODE", "RESIZING", "SIGNALING", "STOPPED"};
// Beside or in the place of any base: it runs again, or waits for its release.
constexpr std::string_view slurm_pending_flags[] = {"REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"};

bool is_slurm_word(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A wait status in v0.0.36 to v0.0.39, an object later.
void read_exit(const SlurmObject& object, SlurmJobRecord& job) {
  constexpr int signal_mask = 0x7f;
  constexpr int code_shift = 8;
  constexpr int max_signal = 64;
  if (object.has("exit_code") && object.number("exit_code").value) {
    const int status = object.count("exit_code");
    job.signal = status & signal_mask;
    if (job.signal > max_signal) job.signal = 0;  // 125 is no signal, but "out of memory"
    job.exit_code = status >> code_shift;
    return;
  }
  const SlurmObject exit = object.inner("exit_code");
  job.exit_code = exit.count("return_code");
  const SlurmObject signal = exit.inner("signal");
  job.signal = signal.is_there() ? signal.has("id") ? signal.count("id") : signal.count("signal_id") : 0;
}

}  // namespace

SlurmJobRecord read_slurm_job(const SlurmObject& object) {
  SlurmJobRecord job;
  const std::optional<std::int64_t> id = object.number("job_id").value;
  if (!id || *id <= 0) object.complain("job_id", "is missing");
  job.id = id.value_or(0);
  job.name = object.text("name");
  job.user = object.text("user_name");
  job.account = object.text("account");
  job.qos = object.text("qos");
  job.cluster = object.text("cluster");
  job.partitions = object.words("partition");
  job.states = object.upper_words("job_state");
  if (job.states.empty()) object.complain("job_state", "is missing");
  job.reason = object.text("state_reason");
  if (job.reason == "None") job.reason.clear();
  job.description = object.text("state_description");
  job.nodes = object.text("nodes");
  if (job.nodes == "(null)") job.nodes.clear();
  job.required_nodes = object.text("required_nodes");
  job.excluded_nodes = object.text("excluded_nodes");
  job.features = object.text("features");
  job.node_count = object.count("node_count");
  job.tasks = object.count("tasks");
  job.tasks_per_node = object.count("tasks_per_node");
  job.cpus_per_node = object.count("minimum_cpus_per_node");
  job.memory_per_node = object.number("memory_per_node").value.value_or(0);
  job.is_batch = object.flag("batch_flag");
  job.tres_per_job = object.text("tres_per_job");
  job.tres_per_node = object.text("tres_per_node");
  job.tres_per_task = object.text("tres_per_task");
  job.gres_detail = object.words("gres_detail", '\n');  // a text has commas of its own
  job.eligible = object.time("eligible_time");
  job.start = object.time("start_time");
  job.end = object.time("end_time");
  job.preempted = object.time("preempt_time");
  const std::optional<std::int64_t> limit = object.number("time_limit").value;
  if (limit && *limit > 0 && *limit < 10'000'000) job.time_limit = static_cast<int>(*limit);
  job.restarts = object.count("restart_cnt");
  read_exit(object, job);
  job.array_job = object.number("array_job_id").value;
  if (job.array_job == 0) job.array_job.reset();
  job.array_task = object.number("array_task_id").value;
  job.array_tasks = object.text("array_task_string");
  job.het_job = object.number("het_job_id").value.value_or(0);
  job.het_offset = object.count("het_job_offset");
  job.dependency = object.text("dependency");
  job.licenses = object.text("licenses");
  job.reservation = object.text("resv_name");
  job.admin_comment = object.text("admin_comment");
  job.system_comment = object.text("system_comment");
  job.output = object.text("standard_output");
  return job;
}

bool SlurmJobRecord::is(std::string_view state) const { return std::find(states.begin(), states.end(), state) != states.end(); }

std::string_view SlurmJobRecord::base() const {
  for (const std::string& state : states) {
    if (is_slurm_word(state, slurm_pending_flags)) return "PENDING";
  }
  if (is("REVOKED")) return "REVOKED";  // beside PENDING: it runs on another cluster of the federation
  for (const std::string& state : states) {
    if (state == "PENDING" || state == "RUNNING" || state == "SUSPENDED" || is_slurm_word(state, slurm_ends)) return state;
  }
  for (const std::string& state : states) {
    if (is_slurm_word(state, slurm_running_flags)) return "RUNNING";
  }
  return {};
}

bool SlurmJobRecord::is_over() const {
  const std::string_view word = base();
  return is_slurm_word(word, slurm_ends) || (word == "RUNNING" && is("COMPLETING"));
}

bool SlurmJobRecord::is_ending() const { return base().empty() && (is("COMPLETING") || is("STAGE_OUT")); }

}  // namespace rollcall
