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
  json::object one;
  one["message"] = message;
  one["domain"] = reason.find("imitExceeded") != std::string_view::npos ? "usageLimits" : "global";
  one["reason"] = reason;
  for (const auto& [key, value] : further) one[key] = value;
  json::object error;
  error["code"] = status;
  error["message"] = message;
  error["errors"] = json::array{std::move(one)};
  if (status == 401) error["status"] = "UNAUTHENTICATED";
  json::object body;
  body["error"] = std::move(error);
  Reply reply = json_reply(body, true);
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
    json::object where;
    where["locationType"] = "parameter";
    where["location"] = "fields";
    return compute_error(400, "invalidParameter", fmt::format("Invalid field selection {}", *unknown), std::move(where));
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
  json::object out;
  out["kind"] = "compute#instance";
  out["id"] = std::to_string(5'000'000'000'000'000'000ULL + instance.number);
  const auto start = parse_rfc3339(context.model.start_time);
  out["creationTimestamp"] = start ? format_rfc3339(*start + instance.timeline.front().at) : context.model.start_time;
  out["name"] = instance.name;
  out["machineType"] = fmt::format("{}/machineTypes/{}", zone, instance.machine_type);
  out["status"] = moment.status;
  out["zone"] = zone;
  json::array interfaces;
  for (std::size_t i = 0; i < instance.interfaces.size(); ++i) {
    const ComputeInterface& from = instance.interfaces[i];
    json::object nic;
    nic["kind"] = "compute#networkInterface";
    nic["network"] = compute_url(context, "global/networks/" + from.network);
    // Addresses are known once an instance is being staged.
    if (!is_young && !from.ip.empty()) nic["networkIP"] = from.ip;
    nic["name"] = fmt::format("nic{}", i);
    if (!is_young && !from.ipv6.empty()) nic["ipv6Address"] = from.ipv6;
    if (!is_young && !from.external_ip.empty()) {
      json::object access;
      access["kind"] = "compute#accessConfig";
      access["type"] = "ONE_TO_ONE_NAT";
      access["name"] = "External NAT";
      access["natIP"] = from.external_ip;
      nic["accessConfigs"] = json::array{std::move(access)};
    }
    nic["stackType"] = from.ipv6.empty() ? "IPV4_ONLY" : from.ip.empty() ? "IPV6_ONLY" : "IPV4_IPV6";
    interfaces.push_back(std::move(nic));
  }
  out["networkInterfaces"] = std::move(interfaces);
  json::object scheduling;
  scheduling["onHostMaintenance"] = "MIGRATE";
  scheduling["automaticRestart"] = true;
  scheduling["preemptible"] = false;
  scheduling["provisioningModel"] = "STANDARD";
  out["scheduling"] = std::move(scheduling);
  if (!instance.labels.empty()) out["labels"] = instance.labels;
  out["selfLink"] = compute_url(context, instance.full_name());
  apply_raw(out, moment.raw);
  return out;
}

}  // namespace rollcall::sim
