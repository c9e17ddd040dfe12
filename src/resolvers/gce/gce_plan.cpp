#include "resolvers/gce/gce_api.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "google/cloud_place.hpp"
#include "google/gcloud_way.hpp"

namespace rollcall {
namespace {

constexpr std::string_view compute_root = "https://compute.googleapis.com/compute/v1/";

Result<void> check_gce_port(const GceOptions& options) {
  const std::string& name = options.named_port();
  const std::uint16_t port = options.port().value_or(0);
  if (port != 0 && !name.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("both port {} and the named port {} were given", port, quoted(name, 80)))
        .with_hint("give one of them");
  }
  if (port == 0 && name.empty()) {
    return Failure(Errc::invalid_argument, "no port was given")
        .with_hint("give port, such as 8470, or named_port, the name of a port that the group defines");
  }
  return Result<void>();
}

}  // namespace

Result<ComputeRoot> gce_root(std::string endpoint, const Environment& environment) {
  constexpr std::string_view variable = "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE";
  CloudSetting given(std::move(endpoint), "the endpoint option");
  if (given.value.empty()) given = first_set(environment, {variable});
  ComputeRoot root;
  root.is_default = given.value.empty();
  if (root.is_default) given = CloudSetting(std::string(compute_root));
  Result<Url> url = parse_api_root(given.variable, given.value);
  if (!url) return url.error();
  root.url = std::move(*url);
  if (root.url.target == "/") root.url.target = "/compute/v1/";
  return root;
}

asio::awaitable<Result<Url>> find_compute(Call& call, ComputeRoot root) {
  const auto& endpoints = gcloud_way(impl_of(call)).endpoints;
  const auto configured = endpoints.find("compute");
  if (root.is_default && configured != endpoints.end()) {
    Result<Url> url = parse_api_root("api_endpoint_overrides/compute of gcloud's configuration", configured->second);
    if (url && url->target == "/") url->target = "/compute/v1/";
    co_return url;
  }
  if (root.is_default) {
    const Result<std::string> universe = co_await find_universe(call);
    if (!universe) co_return universe.error();
    move_to_universe(root.url, *universe);
  }
  co_return std::move(root.url);
}

std::string GcePlan::who() const { return "instance group " + quoted(group, 80); }

std::string GcePlan::who(const InstanceGroupMember& member) const { return fmt::format("{}: instance {}", who(), quoted(member.name, 80)); }

Url GcePlan::url(std::string_view path) const {
  // plan_gce() and the parsers of metadata values accept only characters that need no encoding in a path.
  Url url = root.url;
  url.target.append("projects/").append(project).append("/").append(path);
  return url;
}

Result<GcePlan> plan_gce(const GceOptions& options, const Environment& environment) {
  GcePlan plan;
  plan.group = options.instance_group();
  if (plan.group.empty()) return Failure(Errc::invalid_argument, "no instance group was named");
  const Result<void> group_fine = check_id("name of an instance group", plan.group);
  if (!group_fine) return group_fine.error();
  const Result<void> port_fine = check_gce_port(options);
  if (!port_fine) return port_fine.error();
  if (!options.zone().empty() && !options.region().empty()) {
    return Failure(Errc::invalid_argument,
                   fmt::format("{} has both zone {} and region {}", plan.who(), quoted(options.zone(), 80), quoted(options.region(), 80)))
        .with_hint("a zonal group has a zone, a regional one a region");
  }
  const CloudSetting project = project_setting(CloudSetting(options.project()), environment);
  CloudSetting zone;
  if (options.region().empty()) zone = zone_setting(CloudSetting(options.zone()), environment);
  const CloudSetting region(options.region());
  for (const auto& [what, setting] :
       {std::pair("project", &project), std::pair("zone", &std::as_const(zone)), std::pair("region", &region)}) {
    if (setting->value.empty()) continue;
    const Result<void> fine = check_id(what, setting->value, setting->variable);
    if (!fine) return fine.error();
  }
  Result<ComputeRoot> root = gce_root(options.endpoint(), environment);
  if (!root) return root.error();
  plan.root = std::move(*root);
  plan.project = project.value;
  plan.zone = zone.value;
  plan.region = region.value;
  return plan;
}

}  // namespace rollcall
