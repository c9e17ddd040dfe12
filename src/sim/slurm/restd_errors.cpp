#include "sim/slurm/restd_errors.hpp"

#include <fmt/format.h>

namespace rollcall::sim {
namespace {

// 22.05 finds what later releases query.
std::string about_job(const RestdView& view, std::string_view item) {
  return fmt::format("Unable to {} JobId={}", view.shape.is_old() ? "find" : "query", item);
}

Reply bare_error(const RestdView& view, std::string_view key, int number, std::string_view text) {
  RestdError error;
  error.number = number;
  error.error = text;
  error.is_bare = true;
  return restd_error(view, key, error);
}

// The error of a query that failed, without saying why.
RestdError query_error(const RestdView& view, const Route& route) {
  const std::string_view list = restd_list_of(route);
  RestdError error;
  error.is_bare = view.shape.is_old() && list != "jobs";
  error.is_silent = !view.shape.is_old() && route.collection == "partitions";
  error.description = view.shape.is_old() ? "Failed while looking for jobs" : fmt::format("Unable to query {}", list);
  if (view.shape.is_old()) error.source = "slurm_load_jobs";
  if (route.collection == "job") {
    error.description = about_job(view, route.item);
    error.source = "_handle_job_get";
  } else if (list == "nodes") {
    error.description = route.item.empty() ? "Failure to query nodes" : fmt::format("Failure to query node {}", route.item);
    error.source = "_dump_nodes";
  }
  return error;
}

constexpr std::string_view bad_query = "Query empty or not RFC7320 compliant";

}  // namespace

std::string_view restd_list_of(const Route& route) {
  if (route.collection == "job" || route.collection.starts_with("jobs")) return "jobs";
  if (route.collection == "node" || route.collection == "nodes") return "nodes";
  if (route.collection.starts_with("partition")) return "partitions";
  return route.collection.starts_with("reservation") ? "reservations" : "";
}

RestdError restd_refused_token(const RestdView& view, const Route& route) {
  RestdError error = query_error(view, route);
  if (view.shape.is_old()) return error;
  error.status = 511;
  error.number = 1007;
  error.error = "Protocol authentication error";
  return error;
}

RestdError restd_no_controller(const RestdView& view, const Route& route) {
  RestdError error = query_error(view, route);
  // Of one job this does not say that there is no such job.
  if (view.shape.is_old() || route.collection == "job" || route.collection == "jobs.state") return error;
  error.status = 502;
  error.number = 1800;
  error.error = "Unable to contact slurm controller (connect failure)";
  return error;
}

Reply restd_bad_job_id(const RestdView& view, std::string_view item) {
  RestdError error;
  const bool is_old = view.shape.is_old();
  error.status = is_old ? 400 : 422;
  error.number = is_old ? 9002 : 9000;
  error.error = is_old ? "Jobs description entry not found, empty or not dictionary or list" : bad_query;
  error.description = is_old ? about_job(view, item) : "Rejecting request. Failure parsing parameters";
  error.source = is_old ? "_handle_job_get" : "op_handler_job";
  return restd_error(view, "", error);
}

Reply restd_unknown_job(const RestdView& view, std::string_view item) {
  RestdError error;
  error.status = view.shape.is_old() ? 500 : 404;
  error.number = 2017;
  error.error = "Invalid job id specified";
  error.description = about_job(view, item);
  error.source = view.shape.is_old() ? "slurm_load_job" : "_handle_job_get";
  return restd_error(view, "jobs", error);
}

Reply restd_no_changed_nodes(const RestdView& view, std::string_view since) {
  constexpr int first_with_times = 42;
  RestdError error;
  error.description = "Unable to query partitions";
  error.source = "_dump_nodes";
  if (view.shape.version < first_with_times) {
    error.description = fmt::format("Parsing of {} for timestamp failed", since);
    error.number = 9202;
    error.error = "Unable to convert Data type";
  }
  return restd_error(view, "nodes", error);
}

Reply restd_unknown_node(const RestdView& view, std::string_view item) {
  if (view.shape.is_old()) return bare_error(view, "nodes", 2018, "Invalid node name specified");
  RestdError error;
  error.status = 200;
  error.number = 0;
  error.error = "No error";
  error.description = fmt::format("Failure to query node {}", item);
  error.source = "_dump_nodes";
  return restd_error(view, "", error);
}

Reply restd_unknown_place(const RestdView& view, const Route& route) {
  const bool is_partition = route.collection == "partition";
  const bool is_newest = slurm_releases[view.shape.release] == "26.05";
  if (view.shape.is_old()) {
    return is_partition ? bare_error(view, "partitions", 2000, "Invalid partition name specified")
                        : bare_error(view, "reservations", 2053, "Requested reservation is invalid");
  }
  RestdError error;
  error.description = fmt::format("Unable to find {} {}", route.collection, route.item);
  if (is_partition && is_newest) return restd_nothing(view, error.description, "_partition_get");
  error.status = 422;
  error.number = 9000;
  error.error = bad_query;
  error.source = is_partition ? "op_handler_partition" : is_newest ? "_get_single_reservation" : "op_handler_reservation";
  return restd_error(view, "", error);
}

}  // namespace rollcall::sim
