#include "sim/wire/compute_route.hpp"

#include <algorithm>

namespace rollcall::sim {

bool read_compute_path(std::string_view method, const ParsedTarget& target, Route& route) {
  const auto& s =
      target.segments;  // compute v1 projects P zones Z collection [item [verb]], or compute v1 projects P aggregated collection
  if (s.size() == 6 && s[0] == "compute" && s[1] == "v1" && s[2] == "projects" && s[4] == "aggregated" && s[5] == "instanceGroups" &&
      !s[3].empty() && method == "GET") {
    route.service = Service::compute;
    route.version = s[1];
    route.project = s[3];
    route.collection = s[5];
    route.verb = "aggregatedList";
    route.name = "instanceGroups.aggregatedList";
    return true;
  }
  if (s.size() < 7 || s.size() > 9 || s[0] != "compute" || s[1] != "v1" || s[2] != "projects") return false;
  if (std::find(s.begin(), s.end(), "") != s.end()) return false;
  const bool is_regional = s[4] == "regions";
  if (!is_regional && s[4] != "zones") return false;
  if (s[6] != "instanceGroups" && (is_regional || s[6] != "instances")) return false;
  route.version = s[1];
  route.project = s[3];
  route.location = s[5];
  route.collection = is_regional ? "regionInstanceGroups" : s[6];
  if (s.size() > 7) route.item = s[7];
  if (s.size() > 8) {
    if (method != "POST") return false;
    route.verb = s[8];
  } else if (method == "GET") {
    route.verb = route.item.empty() ? "list" : "get";
  } else if (method == "DELETE" && !route.item.empty()) {
    route.verb = "delete";
  } else if (method == "POST" && route.item.empty()) {
    route.verb = "insert";
  } else {
    return false;
  }
  route.service = Service::compute;
  route.name = route.collection + "." + route.verb;
  return true;
}

std::vector<std::string> compute_route_names() {
  std::vector<std::string> names;
  for (const std::string_view collection : {"instances", "instanceGroups", "regionInstanceGroups"}) {
    for (const std::string_view verb : {"get", "list", "insert", "delete"})
      names.push_back(std::string(collection) + "." + std::string(verb));
  }
  for (const char* const name : {"instanceGroups.listInstances", "instanceGroups.aggregatedList", "regionInstanceGroups.listInstances"})
    names.emplace_back(name);
  return names;
}

}  // namespace rollcall::sim
