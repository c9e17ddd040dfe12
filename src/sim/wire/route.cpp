#include "sim/wire/route.hpp"

#include <algorithm>
#include <iterator>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

struct Methods {
  Service service;
  std::string_view collection;
  std::string_view verbs;
};

// Calls that change something are refused, but they are counted, and a fault may come before the refusal.
constexpr Methods all_methods[] = {
    {Service::tpu, "nodes",
     "get list create patch delete start stop reimage getGuestAttributes simulateMaintenanceEvent performMaintenance"},
    {Service::tpu, "acceleratorTypes", "get list create patch delete"},
    {Service::tpu, "runtimeVersions", "get list create patch delete"},
    {Service::tpu, "tensorflowVersions", "get list create patch delete"},
    {Service::tpu, "operations", "get list create patch delete cancel"},
    {Service::tpu, "queuedResources", "get list create patch delete reset performMaintenanceQueuedResource"},
    {Service::tpu, "locations", "get list create patch delete generateServiceIdentity"},
    {Service::compute, "instances", "get list insert delete"},
    {Service::compute, "instanceGroups", "get list insert delete listInstances aggregatedList"},
    {Service::compute, "regionInstanceGroups", "get list insert delete listInstances"},
    {Service::kubernetes, "pods", "get list watch create update patch delete deletecollection"},
    {Service::kubernetes, "namespaces", "get list watch create update patch delete deletecollection"},
};

bool has_collection(Service service, std::string_view collection) {
  return std::any_of(std::begin(all_methods), std::end(all_methods),
                     [&](const Methods& one) { return one.service == service && one.collection == collection; });
}

// `/compute/v1/projects/P/zones/Z/instances/I`, `…/instanceGroups/G/listInstances`, `…/P/aggregated/instanceGroups` and so on.
// Route::collection is `instances`, `instanceGroups` or `regionInstanceGroups`, Route::location the zone or region.
bool read_compute_path(std::string_view method, const ParsedTarget& target, Route& route) {
  const auto& s = target.segments;
  if (s.size() < 6 || s.size() > 9 || s[0] != "compute" || s[1] != "v1" || s[2] != "projects") return false;
  if (std::find(s.begin(), s.end(), "") != s.end()) return false;
  const bool is_aggregated = s[4] == "aggregated" && s[5] == "instanceGroups" && s.size() == 6 && method == "GET";
  const bool is_regional = s[4] == "regions" && s.size() > 6 && s[6] == "instanceGroups";
  const bool is_zonal = s[4] == "zones" && s.size() > 6 && (s[6] == "instanceGroups" || s[6] == "instances");
  if (!is_aggregated && !is_regional && !is_zonal) return false;
  route.version = s[1];
  route.project = s[3];
  route.collection = is_aggregated ? s[5] : is_regional ? "regionInstanceGroups" : s[6];
  if (!is_aggregated) route.location = s[5];
  if (s.size() > 7) route.item = s[7];
  if (is_aggregated) {
    route.verb = "aggregatedList";
  } else if (s.size() > 8) {
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

std::string_view kube_verb(std::string_view method, const ParsedTarget& target, bool has_item) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_item ? "delete" : "deletecollection";
  if (has_item) return "get";
  return kube_flag(target.as_go_reads().get("watch")) ? "watch" : "list";
}

// Location is the namespace; empty: all. The collection is the resource. False: no path of this API.
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
  const bool is_whole = s.size() <= at + 2 && !(is_namespaced && route.collection == "namespaces");
  const bool is_pod_without_namespace = route.collection == "pods" && !is_namespaced && !route.item.empty();
  if (has_collection(Service::kubernetes, route.collection) && is_whole && !is_pod_without_namespace) {
    route.name = route.collection + "." + route.verb;
  } else {
    route.item = s.size() == at + 2 ? route.item : "";
  }
  return true;
}

enum class Host { metadata, tpu, discovery, compute, loopback, unknown };

Host kind_of(std::string_view authority) {
  std::string host = to_lower(authority);
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else if (std::count(host.begin(), host.end(), ':') == 1) {
    host.resize(host.find(':'));
  }
  if (host == "metadata" || host == "metadata.google.internal" || host == "metadata.google.internal." || host == "169.254.169.254") {
    return Host::metadata;
  }
  if (host == "tpu.googleapis.com" || host == "tpu.mtls.googleapis.com") return Host::tpu;
  if (host == "www.googleapis.com") return Host::discovery;
  if (host == "compute.googleapis.com") return Host::compute;
  // Where a client is pointed by an override: every service answers there, by its paths.
  const bool is_local = host == "localhost" || host.ends_with(".localhost") || host.empty();
  return is_local || is_ipv4_literal(host) || is_ipv6_literal(host, true) ? Host::loopback : Host::unknown;
}

bool read_tpu_path(std::string_view method, const ParsedTarget& target, Route& route) {
  const auto& s = target.segments;
  if (s.size() < 4 || (s[0] != "v1" && s[0] != "v2" && s[0] != "v2alpha1") || s[1] != "projects" || s[3] != "locations") return false;
  if (s.size() > 7 || std::find(s.begin() + 1, s.end(), "") != s.end()) return false;
  route.version = s[0];
  route.project = s[2];
  if (s.size() > 4) route.location = s[4];
  route.collection = s.size() > 5 ? s[5] : "locations";
  if (s.size() > 6) {
    route.item = s[6];
  } else if (s.size() == 5) {
    route.item = s[4];
  }
  if (!has_collection(Service::tpu, route.collection)) return false;
  const bool is_newer = route.collection == "runtimeVersions" || route.collection == "queuedResources";
  if (route.collection == "tensorflowVersions" ? route.version != "v1" : is_newer && route.version == "v1") return false;
  const std::size_t colon = route.item.rfind(':');
  if (method == "GET") {
    route.verb = route.item.empty() ? "list" : "get";
  } else if (method == "POST" && colon != std::string::npos) {
    route.verb = route.item.substr(colon + 1);
  } else if (method == "POST" && route.item.empty()) {
    route.verb = "create";
  } else if (method == "PATCH" && !route.item.empty()) {
    route.verb = "patch";
  } else if (method == "DELETE" && !route.item.empty()) {
    route.verb = "delete";
  } else {
    return false;
  }
  route.service = Service::tpu;
  route.name = route.collection + "." + route.verb;
  return true;
}

bool read_metadata_path(const ParsedTarget& target, Route& route) {
  constexpr std::string_view root = "/computeMetadata/v1/";
  const std::string_view path = target.path;
  if (path != "/" && path != "/computeMetadata" && !path.starts_with("/computeMetadata/")) return false;
  route.service = Service::metadata;
  if (!path.starts_with(root)) {
    route.name = "metadata /";
    return true;
  }
  const std::string_view rest = path.substr(root.size());
  const bool is_token = glob_match("instance/service-accounts/*/token", rest);
  route.name = is_token ? "token" : "metadata " + std::string(rest.empty() ? "/" : rest);
  return true;
}

bool read_discovery_path(const ParsedTarget& target, Route& route) {
  if (target.path == "/$discovery/rest") {
    route.version = target.get("version").value_or("");
  } else if (target.segments.size() == 6 && glob_match("/discovery/v1/apis/tpu/*/rest", target.path)) {
    route.version = target.segments[4];
  } else {
    return false;
  }
  route.service = Service::discovery;
  route.name = "discovery";
  return true;
}

}  // namespace

std::vector<std::string> route_names() {
  std::vector<std::string> names = {"token",
                                    "discovery",
                                    "metadata /",
                                    "metadata unknown",
                                    "unknown",
                                    "kubernetes.version",
                                    "kubernetes.health",
                                    "kubernetes.discovery",
                                    "kubernetes.unknown"};
  for (const Methods& methods : all_methods) {
    for (const std::string_view verb : split(methods.verbs, ' '))
      names.push_back(std::string(methods.collection) + "." + std::string(verb));
  }
  return names;
}

Route find_route(std::string_view method, bool is_https, std::string_view host, const ParsedTarget& target) {
  Route route;
  const Host kind = kind_of(host);
  if (kind == Host::metadata || (kind == Host::loopback && !is_https)) {
    if (read_metadata_path(target, route)) return route;
    if (kind == Host::metadata) {
      route.service = Service::metadata;
      route.name = "metadata unknown";
      return route;
    }
  }
  if ((kind == Host::tpu || kind == Host::loopback) && read_tpu_path(method, target, route)) return route;
  route = Route();
  if (kind != Host::unknown && read_discovery_path(target, route)) return route;
  if ((kind == Host::compute || kind == Host::discovery || kind == Host::loopback) && read_compute_path(method, target, route))
    return route;
  // A cluster may have any name.
  if ((kind == Host::unknown || kind == Host::loopback) && read_kube_path(method, target, route)) return route;
  return Route();
}

}  // namespace rollcall::sim
