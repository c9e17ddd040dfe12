#include "sim/wire/k8s_route.hpp"

#include <algorithm>

#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view kube_resources[] = {"pods", "namespaces"};

std::string_view kube_verb(std::string_view method, const ParsedTarget& target, bool has_item) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_item ? "delete" : "deletecollection";
  if (has_item) return "get";
  return kube_flag(target.as_go_reads().get("watch")) ? "watch" : "list";
}

}  // namespace

bool read_kube_path(std::string_view method, const ParsedTarget& target, Route& route) {
  const auto& s = target.segments;
  const auto named = [&](std::string_view name) {
    route.service = Service::kubernetes;
    route.name = name;
    return true;
  };
  const std::string_view path = std::string_view(target.path).substr(0, target.path.size() - (target.path.ends_with('/') ? 1 : 0));
  if (path == "/version") return named("kubernetes.version");
  if (s[0] == "readyz" || s[0] == "livez" || s[0] == "healthz") return named("kubernetes.health");
  if (path == "/api" || path == "/apis" || path == "/api/v1") return named("kubernetes.discovery");
  if (s[0] != "api" && s[0] != "apis" && s[0] != "openapi" && s[0] != "metrics") return false;
  named("kubernetes.unknown");
  if (s.size() < 3 || s[0] != "api" || s[1] != "v1") return true;
  const bool is_namespaced = s[2] == "namespaces" && s.size() > 4;
  if (is_namespaced) route.location = s[3];
  const std::size_t at = is_namespaced ? 4 : 2;
  route.collection = s[at];
  if (s.size() > at + 1) route.item = s[at + 1];
  route.verb = kube_verb(method, target, !route.item.empty());
  const bool is_known = std::find(std::begin(kube_resources), std::end(kube_resources), route.collection) != std::end(kube_resources);
  const bool is_whole = s.size() <= at + 2 && !(is_namespaced && route.collection == "namespaces");
  const bool is_pod_without_namespace = route.collection == "pods" && !is_namespaced && !route.item.empty();
  if (is_known && is_whole && !is_pod_without_namespace) {
    route.name = route.collection + "." + route.verb;
  } else {
    route.item = s.size() == at + 2 ? route.item : "";
  }
  return true;
}

std::vector<std::string> kube_route_names() {
  std::vector<std::string> names = {"kubernetes.version", "kubernetes.health", "kubernetes.discovery", "kubernetes.unknown"};
  for (const std::string_view resource : kube_resources) {
    for (const std::string_view verb : {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"})
      names.push_back(std::string(resource) + "." + std::string(verb));
  }
  return names;
}

}  // namespace rollcall::sim
