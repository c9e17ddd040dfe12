#include "sim/slurm/restd_answer.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {
namespace {

constexpr int first_bad_status = 400;

json::object meta_of(const RestdView& view) {
  const std::string_view release = slurm_releases[view.shape.release];
  const std::string major(release.substr(0, 2));
  const std::string minor(release.substr(3));
  const std::string version = fmt::format("v0.0.{}", view.shape.version);
  if (view.shape.is_old()) {
    return {{"plugin", json::object{{"type", "openapi/" + version}, {"name", "Slurm OpenAPI " + version}}},
            {"Slurm", json::object{{"version", json::object{{"major", 22}, {"micro", 8}, {"minor", 5}}}, {"release", "22.05.8"}}}};
  }
  return {{"plugin", json::object{{"type", "openapi/slurmctld"},
                                  {"name", "Slurm OpenAPI slurmctld"},
                                  {"data_parser", "data_parser/" + version},
                                  {"accounting_storage", ""}}},
          {"client", json::object{{"source", "127.0.0.1:6820(fd:9)"}, {"user", view.cluster.user}, {"group", view.cluster.user}}},
          {"command", json::array()},
          {"slurm", json::object{{"version", json::object{{"major", major}, {"micro", "5"}, {"minor", minor}}},
                                 {"release", std::string(release) + ".5"},
                                 {"cluster", view.cluster.cluster}}}};
}

// Indented by two, "/" written with a backslash, and no newline at the end. 22.05 has a line for the end of an empty list.
std::string restd_json(const json::object& object, bool is_old) {
  constexpr std::string_view empty_list = "[]";
  const std::string plain = json_text(object, true);
  std::string text;
  for (const std::string_view line : split(trim(plain), '\n')) {
    if (!text.empty()) text += '\n';
    const std::string_view comma = line.ends_with(',') ? "," : "";
    const std::string_view value = line.substr(0, line.size() - comma.size());
    for (const char c : line) text += c == '/' ? "\\/" : std::string(1, c);
    if (!is_old || !value.ends_with(empty_list)) continue;
    text.resize(text.size() - 1 - comma.size());
    text.append("\n").append(line.find_first_not_of(' '), ' ').append("]").append(comma);
  }
  return text;
}

Reply restd_reply(int status, std::string_view type, std::string body) {
  Reply reply;
  reply.status = status;
  if (status >= first_bad_status) reply.headers.add("Connection", "Close");
  reply.headers.add("Content-Type", type);
  reply.body = std::move(body);
  return reply;
}

}  // namespace

Reply restd_list(const RestdView& view, std::string_view key, json::array records, std::optional<Duration> changed,
                 std::string_view warning, std::string_view source) {
  json::object body;
  if (view.shape.is_old()) {
    body = {{"meta", meta_of(view)}, {"errors", json::array()}};
    body[key] = std::move(records);
    return restd_reply(200, "application/json", restd_json(body, view.shape.is_old()));
  }
  body[key] = std::move(records);
  if (key == "jobs" && changed) body["last_backfill"] = restd_number(view.shape, view.seconds(*changed));
  if (changed) body["last_update"] = restd_number(view.shape, view.seconds(*changed));
  body["meta"] = meta_of(view);
  body["errors"] = json::array();
  json::array warnings;
  if (!warning.empty()) warnings.push_back(json::object{{"description", warning}, {"source", source}});
  body["warnings"] = std::move(warnings);
  return restd_reply(200, "application/json", restd_json(body, view.shape.is_old()));
}

Reply restd_nothing(const RestdView& view, std::string_view warning, std::string_view source) {
  const json::object body{{"errors", json::array()},
                          {"warnings", json::array{json::object{{"description", warning}, {"source", source}}}},
                          {"meta", meta_of(view)}};
  return restd_reply(200, "application/json", restd_json(body, view.shape.is_old()));
}

Reply restd_error(const RestdView& view, std::string_view key, const RestdError& error) {
  json::object one;
  if (error.is_bare) {
    one = {{"error", error.error}, {"errno", error.number}};
  } else {
    one = {{"description", error.description}, {"error_number", error.number}, {"error", error.error}, {"source", error.source}};
  }
  json::array errors;
  if (!error.is_silent) errors.push_back(std::move(one));
  json::object body;
  if (view.shape.is_old()) {
    body = {{"meta", meta_of(view)}, {"errors", std::move(errors)}};
    if (!key.empty()) body[key] = json::array();
    return restd_reply(error.status, "application/json", restd_json(body, view.shape.is_old()));
  }
  if (key == "jobs") {
    body = {{"jobs", json::array()},
            {"last_backfill", restd_number(view.shape, 0)},
            {"last_update", restd_number(view.shape, 0)},
            {"meta", meta_of(view)},
            {"errors", std::move(errors)},
            {"warnings", json::array()}};
  } else {
    body = {{"errors", std::move(errors)}, {"warnings", json::array()}, {"meta", meta_of(view)}};
  }
  return restd_reply(error.status, "application/json", restd_json(body, view.shape.is_old()));
}

Reply restd_text(int status, std::string_view text) { return restd_reply(status, "text/plain", std::string(text)); }

Reply restd_unchanged() {
  Reply reply;
  reply.status = 304;
  return reply;
}

Reply restd_no_path(const RestdView& view) {
  constexpr std::string_view newest =
      "Unable to find requested URL endpoint. Please query the '/openapi/v3' endpoint or visit 'https://slurm.schedmd.com/rest_api.html' "
      "for "
      "the OpenAPI specification which includes a list of all possible slurmrestd endpoints.";
  constexpr std::string_view older = "Unable find requested URL. Please view /openapi/v3 for API reference.";
  return restd_text(404, slurm_releases[view.shape.release] == "26.05" ? newest : older);
}

}  // namespace rollcall::sim
