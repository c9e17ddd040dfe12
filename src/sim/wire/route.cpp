#include "sim/wire/route.hpp"

#include <algorithm>
#include <iterator>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "sim/wire/k8s_route.hpp"
#include "sim/wire/slurm_route.hpp"

namespace rollcall::sim {
namespace {

struct Collection {
  Service service;
  std::string_view name;
  std::string_view verbs;
};

// Calls that would change something are refused, but they are counted, and a fault may apply before the refusal.
constexpr Collection collections[] = {
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
    {Service::kubernetes, "objects", "get list watch create update patch delete deletecollection"},
    {Service::iam, "serviceAccounts", "get generateAccessToken generateIdToken signBlob signJwt"},
    {Service::iam, "projects", "get testIamPermissions getIamPolicy"},
};

bool has_collection(Service service, std::string_view name) {
  return std::any_of(std::begin(collections), std::end(collections),
                     [&](const Collection& one) { return one.service == service && one.name == name; });
}

// A segment is a field of the Route in braces, or a literal. A path may end before a `?`.
struct PathPattern {
  Service service;
  std::string_view segments;
  std::string_view collection = {};  // used if the path does not name it
};
constexpr PathPattern path_patterns[] = {
    {Service::tpu, "{version} projects {project} locations ?{location}", "locations"},
    {Service::tpu, "{version} projects {project} locations {location} {collection} ?{item}"},
    {Service::compute, "compute {version} projects {project} aggregated instanceGroups", "instanceGroups"},
    {Service::compute, "compute {version} projects {project} zones {location} instanceGroups ?{item} ?{verb}", "instanceGroups"},
    {Service::compute, "compute {version} projects {project} zones {location} instances ?{item} ?{verb}", "instances"},
    {Service::compute, "compute {version} projects {project} regions {location} instanceGroups ?{item} ?{verb}", "regionInstanceGroups"},
    {Service::iam, "{version} projects {project} serviceAccounts {item}", "serviceAccounts"},
    {Service::iam, "{version} projects {item}", "projects"},
};

// Paths without variable parts.
struct PathName {
  Service service;
  std::string_view path;
  std::string_view name;
};
constexpr PathName path_names[] = {
    {Service::oauth, "/token", "oauth.token"},
    {Service::oauth, "/v1/token", "sts.token"},
    {Service::oauth, "/v1/oauthtoken", "sts.oauthtoken"},
    {Service::oauth, "/oauth2/v3/certs", "google.keys"},
    {Service::imds, "/latest/api/token", "imds.session"},
    {Service::imds, "/latest/meta-data/placement/availability-zone", "imds.zone"},
    {Service::imds, "/latest/meta-data/iam/security-credentials", "imds.role"},
    {Service::imds, "/latest/meta-data/iam/security-credentials/", "imds.role"},
    {Service::imds, "/latest/meta-data/iam/security-credentials/*", "imds.keys"},
    {Service::imds, "/latest/*", "imds.unknown"},
};

bool read_named_path(Service service, const ParsedTarget& target, Route& route) {
  const auto found = std::find_if(std::begin(path_names), std::end(path_names),
                                  [&](const PathName& one) { return one.service == service && glob_match(one.path, target.path); });
  if (found == std::end(path_names)) return false;
  route.service = service;
  route.name = found->name;
  return true;
}

constexpr std::pair<std::string_view, std::string Route::*> path_parts[] = {
    {"{version}", &Route::version},       {"{project}", &Route::project}, {"{location}", &Route::location},
    {"{collection}", &Route::collection}, {"{item}", &Route::item},       {"{verb}", &Route::verb}};

std::optional<Route> match(const PathPattern& pattern, const std::vector<std::string>& segments) {
  Route route;
  route.service = pattern.service;
  route.collection = pattern.collection;
  std::size_t at = 0;
  for (std::string_view wanted : split(pattern.segments, ' ')) {
    const bool may_end = wanted.starts_with('?');
    if (may_end && at == segments.size()) return route;
    if (may_end) wanted.remove_prefix(1);
    if (at == segments.size() || segments[at].empty()) return std::nullopt;
    const auto part = std::find_if(std::begin(path_parts), std::end(path_parts), [&](const auto& one) { return one.first == wanted; });
    if (part == std::end(path_parts) && wanted != segments[at]) return std::nullopt;
    if (part != std::end(path_parts)) route.*(part->second) = segments[at];
    ++at;
  }
  if (at < segments.size()) return std::nullopt;
  return route;
}

// The API's verb for an HTTP method and path of a Google API; none: there is no such call.
std::optional<std::string> google_verb(std::string_view method, const Route& route) {
  const bool is_tpu = route.service == Service::tpu;
  const bool is_compute = route.service == Service::compute;
  const bool has_item = !route.item.empty();
  if (is_compute && route.location.empty()) return method == "GET" ? std::optional<std::string>("aggregatedList") : std::nullopt;
  if (!route.verb.empty()) return method == "POST" ? std::optional<std::string>(route.verb) : std::nullopt;
  if (method == "GET") return has_item ? "get" : "list";
  const std::size_t colon = is_compute ? std::string::npos : route.item.rfind(':');
  if (method == "POST" && colon != std::string::npos) return route.item.substr(colon + 1);
  if (route.service == Service::iam) return std::nullopt;
  if (method == "POST" && !has_item) return is_tpu ? "create" : "insert";
  if (method == "PATCH" && has_item && is_tpu) return "patch";
  if (method == "DELETE" && has_item) return "delete";
  return std::nullopt;
}

bool has_version(const Route& route) {
  if (route.service == Service::compute || route.service == Service::iam) return route.version == "v1";
  const bool is_v1 = route.version == "v1";
  if (route.collection == "tensorflowVersions") return is_v1;
  const bool is_newer = route.collection == "runtimeVersions" || route.collection == "queuedResources";
  return (is_v1 && !is_newer) || route.version == "v2" || route.version == "v2alpha1";
}

bool read_google_path(Service service, std::string_view method, const ParsedTarget& target, Route& route) {
  for (const PathPattern& pattern : path_patterns) {
    auto found = pattern.service == service ? match(pattern, target.segments) : std::nullopt;
    if (!found || !has_collection(service, found->collection) || !has_version(*found)) continue;
    if (found->collection == "locations" && service == Service::tpu) found->item = found->location;
    const auto verb = google_verb(method, *found);
    if (!verb) return false;
    route = *std::move(found);
    route.verb = *verb;
    route.name = route.collection + "." + route.verb;
    return true;
  }
  return false;
}

enum class Host { metadata, tpu, discovery, compute, oauth, iam, loopback, unknown };

Host kind_of(std::string_view authority) {
  static constexpr std::pair<std::string_view, Host> known[] = {{"metadata", Host::metadata},
                                                                {"metadata.google.internal", Host::metadata},
                                                                {"metadata.google.internal.", Host::metadata},
                                                                {"169.254.169.254", Host::metadata},
                                                                {"tpu.googleapis.com", Host::tpu},
                                                                {"tpu.mtls.googleapis.com", Host::tpu},
                                                                {"www.googleapis.com", Host::discovery},
                                                                {"compute.googleapis.com", Host::compute},
                                                                {"oauth2.googleapis.com", Host::oauth},
                                                                {"sts.googleapis.com", Host::oauth},
                                                                {"iamcredentials.googleapis.com", Host::iam},
                                                                {"cloudresourcemanager.googleapis.com", Host::iam}};
  std::string host = to_lower(authority);
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else if (std::count(host.begin(), host.end(), ':') == 1) {
    host.resize(host.find(':'));
  }
  for (const auto& [name, kind] : known)
    if (host == name) return kind;
  // For clients with an endpoint override: every service answers at these hosts, by its paths.
  const bool is_local = host == "localhost" || host.ends_with(".localhost") || host.empty();
  return is_local || is_ipv4_literal(host) || is_ipv6_literal(host, true) ? Host::loopback : Host::unknown;
}

bool read_metadata_path(const ParsedTarget& target, Route& route) {
  constexpr std::string_view root = "/computeMetadata/v1/";
  const std::string_view path = target.path;
  if (path != "/" && path != "/computeMetadata" && !path.starts_with("/computeMetadata/")) return false;
  route.service = Service::metadata;
  route.name = "metadata /";
  if (!path.starts_with(root)) return true;
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
  constexpr std::string_view others = "token,discovery,metadata /,metadata unknown,unknown";
  const std::vector<std::string_view> parts = split(others, ',');
  std::vector<std::string> names(parts.begin(), parts.end());
  for (const PathName& path : path_names) names.emplace_back(path.name);
  for (const std::string_view name : kube_route_names()) names.emplace_back(name);
  for (const std::string_view name : slurm_route_names()) names.emplace_back(name);
  for (const Collection& collection : collections) {
    for (const std::string_view verb : split(collection.verbs, ' ')) {
      names.push_back(std::string(collection.name) + "." + std::string(verb));
    }
  }
  return names;
}

Route find_route(std::string_view method, bool is_https, std::string_view host, const ParsedTarget& target) {
  Route route;
  const Host kind = kind_of(host);
  if (kind == Host::metadata || (kind == Host::loopback && !is_https)) {
    if (read_metadata_path(target, route) || read_named_path(Service::imds, target, route)) return route;
    if (kind == Host::metadata) {
      route.service = Service::metadata;
      route.name = "metadata unknown";
      return route;
    }
  }
  if ((kind == Host::tpu || kind == Host::loopback) && read_google_path(Service::tpu, method, target, route)) return route;
  if (kind != Host::unknown && read_discovery_path(target, route)) return route;
  const bool has_compute = kind == Host::compute || kind == Host::discovery || kind == Host::loopback;
  if (has_compute && read_google_path(Service::compute, method, target, route)) return route;
  const bool has_oauth = kind == Host::oauth || kind == Host::loopback || (kind == Host::discovery && target.path == "/oauth2/v3/certs");
  if (has_oauth && read_named_path(Service::oauth, target, route)) return route;
  if ((kind == Host::iam || kind == Host::loopback) && read_google_path(Service::iam, method, target, route)) return route;
  // A cluster may have any host name.
  const bool may_be_cluster = kind == Host::unknown || kind == Host::loopback;
  if (may_be_cluster && (read_slurm_path(target, route) || read_kube_path(method, target, route))) return route;
  return Route();
}

}  // namespace rollcall::sim
