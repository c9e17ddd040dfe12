// Responses as Compute Engine writes them: errors, field masks, instances.
#include <fmt/format.h>

#include "base/timestamp.hpp"
#include "sim/compute/compute_api.hpp"
#include "sim/wire/field_mask.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

struct ComputeErrorNames {
  int status;
  std::string_view reason;
  std::string_view message;
};

constexpr ComputeErrorNames error_names[] = {
    {400, "invalid", "Invalid value."},
    {401, "required", "Login Required."},
    {403, "forbidden", "The caller does not have the required permission."},
    {404, "notFound", "The resource was not found."},
    {429, "rateLimitExceeded", "Rate Limit Exceeded"},
    {500, "internalError", "Internal Error"},
    {503, "backendError", "Backend Error"},
};

}  // namespace

Reply compute_error(int status, std::string_view reason, std::string_view message, json::object further) {
  const bool is_limit = reason.find("imitExceeded") != std::string_view::npos;
  json::object one{{"message", message}, {"domain", is_limit ? "usageLimits" : "global"}, {"reason", reason}};
  apply_raw(one, further);
  json::object error{{"code", status}, {"message", message}, {"errors", json::array{std::move(one)}}};
  if (status == 401) error["status"] = "UNAUTHENTICATED";
  Reply reply = json_reply(json::object{{"error", std::move(error)}}, true);
  reply.status = status;
  return reply;
}

Reply scripted_compute_error(int status, std::string_view reason, std::string_view message) {
  if (status == 502 && reason.empty() && message.empty()) return html_error(502);
  ComputeErrorNames names{status, "unknown", default_message(status)};
  for (const ComputeErrorNames& known : error_names) {
    if (known.status == status) names = known;
  }
  if (reason == "rateLimitExceeded") names.message = "Rate Limit Exceeded";
  return compute_error(status, reason.empty() ? names.reason : reason, message.empty() ? names.message : message);
}

Reply compute_reply(const json::value& value, std::string_view schema, const ParsedTarget& target) {
  const auto pretty = target.get("prettyPrint");
  const bool is_pretty = !(pretty && (*pretty == "false" || *pretty == "0"));
  const auto fields = target.get("fields");
  if (!fields || fields->empty()) return json_reply(value, is_pretty);
  const auto mask = FieldMask::parse(*fields);
  const auto unknown = mask ? mask->first_unknown(*FieldMask::parse(schema)) : std::optional<std::string>(*fields);
  if (unknown) {
    return compute_error(400, "invalidParameter", fmt::format("Invalid field selection {}", *unknown),
                         {{"locationType", "parameter"}, {"location", "fields"}});
  }
  return json_reply(mask->apply(value), is_pretty);
}

std::string compute_url(const Context& context, std::string_view path) {
  return fmt::format("https://www.googleapis.com/compute/v1/projects/{}/{}", context.model.project, path);
}

const std::string_view instance_schema =
    "kind,id,creationTimestamp,name,description,machineType,status,statusMessage,zone,"
    "networkInterfaces(kind,network,subnetwork,networkIP,name,ipv6Address,stackType,fingerprint,nicType,"
    "accessConfigs(kind,type,name,natIP,networkTier),ipv6AccessConfigs(kind,type,name,externalIpv6,externalIpv6PrefixLength)),"
    "scheduling(onHostMaintenance,automaticRestart,preemptible,provisioningModel,terminationTime),labels(*),labelFingerprint,"
    "metadata(kind,fingerprint,items(key,value)),guestAccelerators(acceleratorType,acceleratorCount),resourceStatus(*),cpuPlatform,"
    "selfLink,lastStartTimestamp,lastStopTimestamp,tags(items,fingerprint),deletionProtection,startRestricted";

json::object instance_json(const Context& context, const ComputeInstance& instance, const ComputeMoment& moment) {
  const bool is_young = moment.status == "PENDING" || moment.status == "PROVISIONING";
  const std::string zone = compute_url(context, "zones/" + instance.zone);
  const auto start = parse_rfc3339(context.model.start_time);
  json::array interfaces;
  for (std::size_t i = 0; i < instance.interfaces.size(); ++i) {
    const ComputeInterface& from = instance.interfaces[i];
    json::object nic{{"kind", "compute#networkInterface"}, {"network", compute_url(context, "global/networks/" + from.network)}};
    // Addresses are known from the state STAGING on.
    if (!is_young) put(nic, "networkIP", from.ip);
    nic["name"] = fmt::format("nic{}", i);
    if (!is_young) put(nic, "ipv6Address", from.ipv6);
    if (!is_young && !from.external_ip.empty()) {
      nic["accessConfigs"] = json::array{json::object{
          {"kind", "compute#accessConfig"}, {"type", "ONE_TO_ONE_NAT"}, {"name", "External NAT"}, {"natIP", from.external_ip}}};
    }
    nic["stackType"] = from.ipv6.empty() ? "IPV4_ONLY" : from.ip.empty() ? "IPV6_ONLY" : "IPV4_IPV6";
    interfaces.push_back(std::move(nic));
  }
  json::object out{
      {"kind", "compute#instance"},
      {"id", std::to_string(5'000'000'000'000'000'000ULL + instance.number)},
      {"creationTimestamp", start ? format_rfc3339(*start + instance.timeline.front().at) : context.model.start_time},
      {"name", instance.name},
      {"machineType", fmt::format("{}/machineTypes/{}", zone, instance.machine_type)},
      {"status", moment.status},
      {"zone", zone},
      {"networkInterfaces", std::move(interfaces)},
      {"scheduling",
       {{"onHostMaintenance", "MIGRATE"}, {"automaticRestart", true}, {"preemptible", false}, {"provisioningModel", "STANDARD"}}}};
  json::array accelerators;
  for (const auto& [type, count] : instance.guest_accelerators) {
    accelerators.push_back(
        json::object{{"acceleratorType", fmt::format("{}/acceleratorTypes/{}", zone, type)}, {"acceleratorCount", count}});
  }
  put(out, "guestAccelerators", std::move(accelerators));
  put(out, "labels", instance.labels);
  out["selfLink"] = compute_url(context, instance.full_name());
  apply_raw(out, moment.raw);
  return out;
}

}  // namespace rollcall::sim
