#include "sim/wire/k8s_route.hpp"

#include <array>

#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {
namespace {

constexpr std::array<std::string_view, 11> other_kube_routes = {"selfsubjectaccessreviews.create",
                                                                "selfsubjectrulesreviews.create",
                                                                "selfsubjectreviews.create",
                                                                "tokenreviews.create",
                                                                "kubernetes.version",
                                                                "kubernetes.health",
                                                                "kubernetes.discovery",
                                                                "kubernetes.unknown",
                                                                "openid.configuration",
                                                                "openid.keys",
                                                                "serviceaccounts.token"};

struct ReviewPath {
  std::string_view group;
  std::string_view resource;
};
constexpr std::array<ReviewPath, 4> review_paths = {{{"authorization.k8s.io", "selfsubjectaccessreviews"},
                                                     {"authorization.k8s.io", "selfsubjectrulesreviews"},
                                                     {"authentication.k8s.io", "selfsubjectreviews"},
                                                     {"authentication.k8s.io", "tokenreviews"}}};

std::string_view kube_verb(std::string_view method, const ParsedTarget& target, bool has_item) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_item ? "delete" : "deletecollection";
  if (has_item) return "get";
  return kube_flag(target.as_go_reads().get("watch")) ? "watch" : "list";
}

bool read_review(const ParsedTarget& target, Route& route) {
  const auto& s = target.segments;
  if (s.size() != 4 || s[0] != "apis" || s[2] != "v1") return false;
  for (const ReviewPath& path : review_paths) {
    if (path.group != s[1] || path.resource != s[3]) continue;
    route.name = std::string(path.resource) + ".create";
    route.collection = path.resource;
    route.verb = "create";
    return true;
  }
  return false;
}

// What stands behind the version, from segment `at` on: [namespaces/NAMESPACE/]RESOURCE[/NAME].
void read_resource(std::string_view method, const ParsedTarget& target, std::size_t at, Route& route) {
  const auto& s = target.segments;
  const bool is_core = route.group.empty();
  const bool is_namespaced = s[at] == "namespaces" && s.size() > at + 2;
  if (is_namespaced) route.location = s[at + 1];
  const std::size_t resource = is_namespaced ? at + 2 : at;
  route.collection = s[resource];
  if (s.size() > resource + 1) route.item = s[resource + 1];
  route.verb = kube_verb(method, target, !route.item.empty());
  if (is_core && is_namespaced && method == "POST" && s.size() == resource + 3 && s[resource] == "serviceaccounts" &&
      s[resource + 2] == "token") {
    route.collection = "serviceaccounts/token";
    route.name = "serviceaccounts.token";
    return;
  }
  const bool is_whole = s.size() <= resource + 2;
  if (!is_whole || (is_namespaced && route.collection == "namespaces")) {
    if (s.size() != resource + 2) route.item.clear();
    return;
  }
  const bool is_pods = is_core && route.collection == "pods";
  if (is_pods && !is_namespaced && !route.item.empty()) return;
  const bool has_own_name = is_pods || (is_core && route.collection == "namespaces");
  route.name = (has_own_name ? route.collection : std::string("objects")) + "." + route.verb;
}

}  // namespace

std::span<const std::string_view> kube_route_names() { return other_kube_routes; }

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
  const bool is_keys = path == "/openid/v1/jwks";
  if (is_keys || path == "/.well-known/openid-configuration") return named(is_keys ? "openid.keys" : "openid.configuration");
  if (path == "/api" || path == "/apis" || path == "/api/v1") return named("kubernetes.discovery");
  if (s[0] != "api" && s[0] != "apis" && s[0] != "openapi" && s[0] != "metrics") return false;
  named("kubernetes.unknown");
  if (method == "POST" && read_review(target, route)) return true;
  const std::size_t parts = s.size() - (s.back().empty() ? 1 : 0);
  if (s[0] == "apis" && (parts == 2 || parts == 3)) {
    route.group = s[1];
    if (parts == 3) route.version = s[2];
    return named("kubernetes.discovery");
  }
  if (s[0] == "api" && s.size() > 2 && s[1] == "v1") {
    route.version = "v1";
    read_resource(method, target, 2, route);
  } else if (s[0] == "apis" && s.size() > 3) {
    route.group = s[1];
    route.version = s[2];
    read_resource(method, target, 3, route);
  }
  return true;
}

}  // namespace rollcall::sim
