#include "sim/slurm/restd_api.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "rollcall/host_list.hpp"
#include "sim/slurm/restd_answer.hpp"
#include "sim/slurm/restd_errors.hpp"
#include "sim/slurm/restd_token.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {
namespace {

// The versions of the API that each release serves.
constexpr std::pair<int, int> served_versions[] = {{36, 38}, {40, 42}, {42, 45}};
constexpr Duration patience = std::chrono::seconds(9);  // of slurmrestd with a controller that does not answer; twice for one job

std::optional<int> version_of(const Route& route, std::size_t release) {
  constexpr std::string_view begin = "v0.0.";
  const auto number = route.version.starts_with(begin) ? parse_decimal<int>(route.version.substr(begin.size()), 0, 999) : std::nullopt;
  const auto [oldest, newest] = served_versions[release];
  return number && *number >= oldest && *number <= newest ? number : std::nullopt;
}

Reply ping(const RestdView& view, bool is_up, bool is_refused) {
  if (view.shape.is_old() && (!is_up || is_refused)) {
    RestdError error;
    error.description = "slurmctld config is unable to load";
    error.source = "slurm_load_ctl_conf";
    return restd_error(view, "", error);
  }
  json::object one{{"hostname", "slurmctld"}};
  const bool is_answering = is_up && !is_refused;
  if (view.shape.is_old()) {
    one["ping"] = "UP";
    one["status"] = 0;
    one["mode"] = "primary";
  } else {
    const bool has_status = slurm_releases[view.shape.release] == "26.05";
    if (!has_status) one["pinged"] = is_answering ? "UP" : "DOWN";
    one["responding"] = is_answering;
    one["latency"] = 800;
    if (!has_status) one["mode"] = "primary";
    one["primary"] = true;
    if (has_status)
      one["status"] = !is_up       ? "Unable to contact slurm controller (connect failure)"
                      : is_refused ? "Protocol authentication error"
                                   : "No error";
  }
  return restd_list(view, "pings", {std::move(one)}, std::nullopt);
}

// Of an array all tasks, of the leader of a heterogeneous job all components.
json::array jobs_of(const RestdView& view, std::uint64_t id) {
  json::array list;
  for (const SlurmJobModel& job : view.cluster.jobs) {
    if (job.id != id && job.array_job != id && job.het_job != id) continue;
    if (const SlurmJobMoment* const moment = restd_job_at(view, job)) list.push_back(restd_job(view, job, *moment));
  }
  return list;
}

Reply answer_job(const RestdView& view, const Route& route) {
  const std::size_t mark = route.item.find_first_of("_+");
  const auto id = parse_decimal<std::uint64_t>(route.item.substr(0, mark), 0, 4'294'967'295);
  if (!id) return restd_bad_job_id(view, route.item);
  json::array list = jobs_of(view, *id);
  if (list.empty()) return restd_unknown_job(view, route.item);
  constexpr std::string_view of_array = "Job array Ids are not currently supported for job searches. Showing all jobs in array instead.";
  const bool is_task = route.item.find('_') != std::string::npos;
  return restd_list(view, "jobs", std::move(list), restd_last_change(view, false), is_task ? of_array : std::string_view(),
                    "_handle_job_get");
}

std::optional<std::int64_t> asked_since(const ParsedTarget& target) {
  const auto text = target.get("update_time");
  return text ? parse_decimal<std::int64_t>(*text) : std::nullopt;
}

Reply answer_jobs(const RestdView& view, const ParsedTarget& target) {
  const Duration changed = restd_last_change(view, false);
  const std::optional<std::int64_t> since = asked_since(target);
  if (since && *since >= view.seconds(changed)) {
    if (view.shape.is_old()) return restd_unchanged();
    return restd_list(view, "jobs", {}, Duration(0), fmt::format("No job changes since update_time[{}]", *since), "op_handler_jobs");
  }
  json::array list;
  for (const SlurmJobModel& job : view.cluster.jobs) {
    if (const SlurmJobMoment* const moment = restd_job_at(view, job)) list.push_back(restd_job(view, job, *moment));
  }
  return restd_list(view, "jobs", std::move(list), changed);
}

// Ids and states alone; the tasks of an array that have not started one by one. The number is the record's own.
Reply answer_states(const RestdView& view, const ParsedTarget& target) {
  const std::string wanted(target.get("job_id").value_or(""));
  json::array list;
  for (const SlurmJobModel& job : view.cluster.jobs) {
    const SlurmJobMoment* const moment = restd_job_at(view, job);
    const std::string own = std::to_string(job.id);
    const bool is_wanted =
        wanted.empty() || wanted == own || wanted == std::to_string(job.array_job) || wanted == std::to_string(job.het_job);
    if (!moment || !is_wanted) continue;
    std::vector<std::string> ids{own};
    if (job.array_task) {
      ids = {fmt::format("{}_{}", own, *job.array_task)};
    } else if (job.array_job != 0) {
      const std::string tasks = job.array_tasks.substr(0, job.array_tasks.find('%'));
      const auto all = expand_host_list(fmt::format("{}_[{}]", own, tasks));
      if (all) ids = *all;
    } else if (job.het_job != 0) {
      ids = {fmt::format("{}+{}", own, job.het_offset)};
    }
    const std::vector<std::string> states = restd_job_states(*moment);
    for (const std::string& id : ids) list.push_back(json::object{{"job_id", id}, {"state", json::array(states.begin(), states.end())}});
  }
  return restd_list(view, "jobs", std::move(list), std::nullopt);
}

Reply answer_nodes(const RestdView& view, const Route& route, const ParsedTarget& target) {
  const Duration changed = restd_last_change(view, true);
  const std::optional<std::int64_t> since = asked_since(target);
  const bool is_whole = route.item.empty();
  const bool is_flawed = slurm_releases[view.shape.release] == "24.11" && since;
  const bool is_too_old = is_flawed && view.shape.version < 42;
  if (is_whole && since && !is_too_old && *since >= view.seconds(changed)) return restd_unchanged();
  if (is_whole && is_flawed) return restd_no_changed_nodes(view, *target.get("update_time"));
  const auto loads = restd_loads(view);
  json::array list;
  for (const SlurmNodeModel& node : view.cluster.nodes) {
    if (!route.item.empty() && node.name != route.item) continue;
    const auto load = loads.find(node.name);
    list.push_back(restd_node(view, node, load == loads.end() ? nullptr : &load->second));
  }
  if (!list.empty() || route.item.empty()) return restd_list(view, "nodes", std::move(list), changed);
  return restd_unknown_node(view, route.item);
}

template <class Part>
Reply answer_places(const RestdView& view, const Route& route, const std::vector<Part>& all,
                    json::object (*show)(const RestdView&, const Part&)) {
  json::array list;
  for (const Part& one : all) {
    if (route.item.empty() || one.name == route.item) list.push_back(show(view, one));
  }
  const std::string_view key = restd_list_of(route);
  if (!list.empty() || route.item.empty()) return restd_list(view, key, std::move(list), Duration(0));
  return restd_unknown_place(view, route);
}

bool is_controller_down(const RestdView& view) {
  const auto& times = view.cluster.controller_down;
  return std::any_of(times.begin(), times.end(), [&view](const auto& time) {
    return view.context.now >= time.first && (!time.second || view.context.now < *time.second);
  });
}

RestdView view_of(const Context& context, const Route& route) {
  const SlurmClusterModel& cluster = *context.model.slurm;
  RestdShape shape;
  shape.release = cluster.release;
  shape.version = version_of(route, cluster.release).value_or(served_versions[cluster.release].second);
  return RestdView{context, cluster, shape};
}

}  // namespace

Reply answer_slurm(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  const RestdView view = view_of(context, route);
  const RestdVerdict verdict = judge_slurm_token(context, request);
  if (route.name == "slurm.unknown" || !version_of(route, view.cluster.release)) return restd_no_path(view);
  if (route.collection == "jobs.state" && view.shape.is_old()) return restd_no_path(view);
  if (request.method != "GET") {
    const std::string_view text = "The simulated Slurm is read-only";
    return view.shape.is_old() ? restd_text(405, "Requested REST method is not defined at URL. Please view /openapi/v3 for API reference.")
                               : restd_text(501, text);
  }
  if (verdict == RestdVerdict::missing) return restd_text(401, "Authentication failure");
  const bool is_down = is_controller_down(view);
  const bool is_refused = verdict == RestdVerdict::refused;
  if (route.collection == "ping") {
    Reply reply = ping(view, !is_down, is_refused);
    if (is_down && view.shape.is_old()) reply.delay = patience;
    return reply;
  }
  if (is_down) {
    Reply reply = restd_error(view, restd_list_of(route), restd_no_controller(view, route));
    reply.delay = route.collection == "job" ? 2 * patience : patience;
    return reply;
  }
  if (is_refused) return restd_error(view, restd_list_of(route), restd_refused_token(view, route));
  if (route.collection == "job") return answer_job(view, route);
  if (route.collection == "jobs") return answer_jobs(view, target);
  if (route.collection == "jobs.state") return answer_states(view, target);
  if (restd_list_of(route) == "nodes") return answer_nodes(view, route, target);
  if (restd_list_of(route) == "partitions") return answer_places(view, route, view.cluster.partitions, restd_partition);
  return answer_places(view, route, view.cluster.reservations, restd_reservation);
}

Reply slurm_scripted(const Context& context, const FaultRule& rule, const Route& route) {
  const RestdView view = view_of(context, route);
  const int status = *rule.status;
  if (status == 401) return restd_text(401, rule.message.empty() ? "Authentication failure" : std::string_view(rule.message));
  if (status == 404 && route.collection != "job") return restd_no_path(view);
  RestdError error;
  switch (status) {
    case 404:
      error = {404, 2017, "Invalid job id specified", fmt::format("Unable to query JobId={}", route.item), "_handle_job_get"};
      break;
    case 500: error.description = "Unable to query"; break;
    case 502: error = {502, 1800, "Unable to contact slurm controller (connect failure)", "Unable to query"}; break;
    case 511: error = {511, 1007, "Protocol authentication error", "Unable to query"}; break;
    default: return html_error(status);  // slurmrestd itself does not answer it
  }
  if (!rule.message.empty()) error.description = rule.message;
  return restd_error(view, restd_list_of(route), error);
}

}  // namespace rollcall::sim
