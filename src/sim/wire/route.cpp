#include "sim/wire/route.hpp"

#include <algorithm>
#include <array>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "sim/wire/compute_route.hpp"
#include "sim/wire/k8s_route.hpp"

namespace rollcall::sim {

namespace {

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

constexpr std::array<std::string_view, 7> collections = {"nodes",      "acceleratorTypes", "runtimeVersions", "tensorflowVersions",
                                                         "operations", "queuedResources",  "locations"};

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
  if (std::find(collections.begin(), collections.end(), route.collection) == collections.end()) return false;
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
  std::vector<std::string> names = {"token", "discovery", "metadata /", "metadata unknown", "unknown"};
  for (const std::string_view collection : collections) {
    // Calls that change something are refused, but they are counted, and a fault may come before the refusal.
    for (const std::string_view verb : {"get", "list", "create", "patch", "delete"})
      names.push_back(std::string(collection) + "." + std::string(verb));
  }
  for (const std::string_view name :
       {"nodes.start", "nodes.stop", "nodes.reimage", "nodes.getGuestAttributes", "nodes.simulateMaintenanceEvent",
        "nodes.performMaintenance", "queuedResources.reset", "queuedResources.performMaintenanceQueuedResource", "operations.cancel",
        "locations.generateServiceIdentity"}) {
    names.emplace_back(name);
  }
  for (std::string& name : compute_route_names()) names.push_back(std::move(name));
  for (std::string& name : kube_route_names()) names.push_back(std::move(name));
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
