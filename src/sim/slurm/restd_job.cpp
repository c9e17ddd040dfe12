// Jobs as slurmrestd shows them.
#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "rollcall/host_list.hpp"
#include "sim/slurm/restd_view.hpp"

namespace rollcall::sim {
namespace {

constexpr Duration endless_job = std::chrono::hours(24 * 365);  // the end that Slurm shows of a job without a limit

std::string base_state(const SlurmJobMoment& moment) {
  if (moment.state == "CONFIGURING") return "RUNNING";
  if (moment.state == "COMPLETING") return moment.exit_code != 0 || moment.signal != 0 ? "FAILED" : "COMPLETED";
  return moment.state;
}

std::vector<std::string> job_hosts(const SlurmJobMoment& moment) {
  if (moment.nodes.empty()) return {};
  Result<std::vector<std::string>> hosts = expand_host_list(moment.nodes);
  return hosts ? *std::move(hosts) : std::vector<std::string>();
}

void set_exit(const SlurmJobMoment& moment, RestdRecord& record, bool is_old) {
  constexpr int code_shift = 256;
  if (is_old) return record.set_number("exit_code", moment.signal != 0 ? moment.signal : moment.exit_code * code_shift);
  const std::string_view words = moment.signal != 0 ? "SIGNALED" : moment.exit_code != 0 ? "ERROR" : "SUCCESS";
  const auto number = [](bool is_set, int value) { return json::object{{"set", is_set}, {"infinite", false}, {"number", value}}; };
  record.set("exit_code", json::object{{"status", json::array{words}},
                                       {"return_code", number(moment.signal == 0, moment.exit_code)},
                                       {"signal", json::object{{"id", number(moment.signal != 0, moment.signal)}, {"name", ""}}}});
}

// 22.05 writes gres:gpu:h100:8.
std::string asked_tres(std::string text, bool is_old) {
  constexpr std::string_view name = "gres/";
  for (std::size_t at = text.find(name); is_old && at != std::string::npos; at = text.find(name, at))
    text.replace(at, name.size(), "gres:");
  return text;
}

void set_times(const RestdView& view, const SlurmJobModel& job, const SlurmJobMoment& moment, RestdRecord& record) {
  record.set_number("submit_time", view.seconds(job.timeline.front().at));
  record.set_number("accrue_time", view.seconds(moment.eligible));
  record.set_number("eligible_time", view.seconds(moment.eligible));
  record.set_number("last_sched_evaluation", view.seconds(moment.at));
  if (job.time_limit) record.set_number("time_limit", std::chrono::ceil<std::chrono::minutes>(*job.time_limit).count());
  const Duration limit = job.time_limit.value_or(endless_job);
  if (moment.is_pending()) {
    const bool is_held_back = moment.reason == "BeginTime";
    const std::optional<Duration> expected = is_held_back ? std::optional<Duration>(moment.eligible) : moment.expected_start;
    if (expected) record.set_number("start_time", view.seconds(*expected));
    if (expected) record.set_number("end_time", view.seconds(saturating_sum(*expected, limit)));
    return;
  }
  const Duration start = moment.started.value_or(moment.at);
  record.set_number("start_time", view.seconds(start));
  Duration end = saturating_sum(start, limit);
  if (moment.grace) {
    record.set_number("preempt_time", view.seconds(moment.at));
    end = saturating_sum(moment.at, *moment.grace);
  }
  record.set_number("end_time", view.seconds(moment.ended.value_or(end)));
}

void set_group(const RestdView& view, const SlurmJobModel& job, RestdRecord& record) {
  if (job.array_job != 0) {
    record.set_number("array_job_id", static_cast<std::int64_t>(job.array_job));
    if (job.array_task) record.set_number("array_task_id", *job.array_task);
    if (!job.array_task) record.set_text("array_task_string", job.array_tasks);
  }
  if (job.het_job == 0) return;
  record.set_number("het_job_id", static_cast<std::int64_t>(job.het_job));
  record.set_number("het_job_offset", job.het_offset);
  std::vector<std::string> ids;
  for (const SlurmJobModel& one : view.cluster.jobs) {
    if (one.het_job == job.het_job) ids.push_back(std::to_string(one.id));
  }
  const Result<std::string> list = compress_host_list(ids);
  if (list) record.set_text("het_job_id_set", list->starts_with('[') ? list->substr(1, list->size() - 2) : *list);
}

void set_ask(const SlurmJobModel& job, int nodes, RestdRecord& record, bool is_old) {
  record.set_number("node_count", nodes);
  record.set_number("tasks", static_cast<std::int64_t>(nodes) * job.tasks_per_node);
  record.set_number("tasks_per_node", job.tasks_per_node);
  const std::int64_t cpus = static_cast<std::int64_t>(nodes) * job.cpus_per_node;
  record.set_number("cpus", cpus);
  record.set_number("minimum_cpus_per_node", job.cpus_per_node);
  record.set_number("memory_per_node", job.memory_per_node);
  record.set_text("required_nodes", job.required_nodes);
  record.set_text("excluded_nodes", job.excluded_nodes);
  record.set_text("features", job.features);
  record.set_text("tres_per_job", asked_tres(job.tres_per_job, is_old));
  record.set_text("tres_per_node", asked_tres(job.tres_per_node, is_old));
  record.set_text("tres_per_task", asked_tres(job.tres_per_task, is_old));
  record.set_text("tres_req_str", fmt::format("cpu={},node={},billing={}", cpus, nodes, cpus));
  record.set_text("dependency", job.dependency);
  record.set_text("licenses", job.licenses);
  record.set_text("resv_name", job.reservation);
}

// Each node's share, in the order of the nodes.
json::array gres_of_nodes(const SlurmJobModel& job, std::size_t nodes) {
  std::string text;
  for (const auto& [name, count] : restd_gres_of_node(job)) text += (text.empty() ? "" : ",") + restd_gres_used(name, count);
  json::array list;
  if (!text.empty()) list.resize(nodes, json::string(text));
  return list;
}

}  // namespace

std::int64_t RestdView::seconds(Duration since_start) const {
  return std::chrono::floor<std::chrono::seconds>(saturating_sum(context.started_on, since_start).time_since_epoch()).count();
}

const SlurmJobMoment* restd_job_at(const RestdView& view, const SlurmJobModel& job) {
  const SlurmJobMoment* const moment = moment_at(job.timeline, view.context.now);
  if (!moment || moment->state == "DELETED") return nullptr;
  const bool is_forgotten =
      moment->ended && !moment->has_nodes() && view.context.now >= saturating_sum(*moment->ended, view.cluster.min_job_age);
  return is_forgotten ? nullptr : moment;
}

std::vector<std::string> restd_job_states(const SlurmJobMoment& moment) {
  std::vector<std::string> states{base_state(moment)};
  if (moment.state == "CONFIGURING" || moment.state == "COMPLETING") states.push_back(moment.state);
  states.insert(states.end(), moment.flags.begin(), moment.flags.end());
  return states;
}

json::object restd_job(const RestdView& view, const SlurmJobModel& job, const SlurmJobMoment& moment) {
  const bool is_old = view.shape.is_old();
  RestdRecord record(view.shape, restd_job_v38, restd_job_v42, restd_job_v45);
  record.set_number("job_id", static_cast<std::int64_t>(job.id));
  record.set_text("name", job.name);
  record.set_text("user_name", job.user);
  record.set_text("group_name", job.user);
  record.set_text("mail_user", job.user);
  record.set_text("account", job.account);
  record.set_text("qos", job.qos);
  record.set_text("cluster", view.cluster.cluster);
  record.set_text("partition", job.partition);
  record.set_text("admin_comment", job.admin_comment);
  record.set_text("current_working_directory", "/home/" + job.user);
  record.set_text("standard_output", fmt::format("/home/{}/slurm-{}.out", job.user, job.id));
  record.set_text("stdout_expanded", fmt::format("/home/{}/slurm-{}.out", job.user, job.id));
  const std::vector<std::string> states = restd_job_states(moment);
  if (is_old) {
    record.set_text("job_state", states.back());  // a flag stands in the place of the base
  } else {
    record.set_words("job_state", states);
  }
  record.set_text("state_reason", moment.reason.empty() ? "None" : moment.reason);
  record.set_text("state_description", moment.description);
  record.set_number("restart_cnt", moment.restarts);
  record.set_number("priority", moment.reason.starts_with("JobHeld") ? 0 : 1);
  record.set("hold", moment.reason.starts_with("JobHeld"));
  const std::vector<std::string> hosts = moment.is_pending() ? std::vector<std::string>() : job_hosts(moment);
  set_ask(job, hosts.empty() ? job.node_count : static_cast<int>(hosts.size()), record, is_old);
  if (!hosts.empty()) {
    record.set_text("nodes", restd_hosts(hosts));
    record.set_text("batch_host", hosts.front());
    record.set("flags", json::array{"JOB_WAS_RUNNING"});
  }
  if (moment.has_nodes()) record.set("gres_detail", gres_of_nodes(job, hosts.size()));
  set_times(view, job, moment, record);
  set_exit(moment, record, is_old);
  set_group(view, job, record);
  return std::move(record).take(moment.raw);
}

}  // namespace rollcall::sim
