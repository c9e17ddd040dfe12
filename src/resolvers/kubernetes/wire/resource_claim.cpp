#include "resolvers/kubernetes/wire/resource_claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

using Json = boost::json::value;

constexpr std::string_view claim_versions[] = {"v1", "v1beta2", "v1beta1"};
constexpr std::string_view claim_list = "the list of resource claims";
constexpr int max_claimed_devices = 1'000'000;

const boost::json::array* array_in_claim(const Json& object, std::string_view key) {
  const Json* const value = find(object, key);
  return value && value->is_array() ? &value->get_array() : nullptr;
}

std::string claim_text(const Json& object, std::string_view key) { return std::string(find_text(object, key).value_or("")); }

bool is_true_in_claim(const Json& object, std::string_view key) {
  const Json* const value = find(object, key);
  return value && value->is_bool() && value->get_bool();
}

// A choice among several subrequests is allocated as `gpus/large`; containers and the spec name `gpus`.
std::string whole_request(std::string_view request) { return std::string(request.substr(0, request.find('/'))); }

void add_devices(std::vector<ClaimedDevices>& devices, const std::string& request, PodResource kind, int count) {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const ClaimedDevices& one) { return one.request == request && one.kind == kind; });
  ClaimedDevices& mine = found == devices.end() ? devices.emplace_back() : *found;
  mine.request = request;
  mine.kind = kind;
  mine.count = saturating_sum(mine.count.value_or(0), count);
}

// Parts of one device, which several results name, are one device.
std::vector<ClaimedDevices> allocated_devices(const boost::json::array& results) {
  std::vector<ClaimedDevices> devices;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Json& result : results) {
    const std::string driver = claim_text(result, "driver");
    const std::optional<PodResource> kind = claimed_resource(driver);
    if (!kind || is_true_in_claim(result, "adminAccess")) continue;
    std::string device = claim_text(result, "device");
    const bool is_new = device.empty() || seen.emplace(driver, claim_text(result, "pool"), std::move(device)).second;
    if (is_new) add_devices(devices, whole_request(claim_text(result, "request")), *kind, 1);
  }
  return devices;
}

// What a request asks for, by its class: drivers and their usual classes have the same names.
std::optional<ClaimedDevices> devices_of_request(const Json& exact) {
  const std::optional<PodResource> kind = claimed_resource(claim_text(exact, "deviceClassName"));
  if (!kind || is_true_in_claim(exact, "adminAccess")) return std::nullopt;
  ClaimedDevices devices;
  devices.kind = *kind;
  const std::string mode = claim_text(exact, "allocationMode");
  const Json* const count = find(exact, "count");
  if (!mode.empty() && mode != "ExactCount") return devices;
  if (!count) {
    devices.count = 1;
  } else if (count->is_int64() && count->get_int64() >= 1 && count->get_int64() <= max_claimed_devices) {
    devices.count = static_cast<int>(count->get_int64());
  }
  return devices;
}

// The first subrequest that can be had will be: only where all ask for the same is it known before.
std::optional<ClaimedDevices> devices_of_choice(const boost::json::array& choices) {
  std::optional<ClaimedDevices> common;
  bool is_first = true;
  for (const Json& choice : choices) {
    std::optional<ClaimedDevices> devices = devices_of_request(choice);
    if (!is_first && devices != common) return ClaimedDevices();
    common = std::move(devices);
    is_first = false;
  }
  return common;
}

std::vector<ClaimedDevices> requested_devices(const Json& claim) {
  std::vector<ClaimedDevices> all;
  const Json* const spec = find(claim, "spec");
  const Json* const devices = spec ? find(*spec, "devices") : nullptr;
  const boost::json::array* const requests = devices ? array_in_claim(*devices, "requests") : nullptr;
  if (!requests) return all;
  for (const Json& request : *requests) {
    const Json* const exactly = find(request, "exactly");  // v1beta1 has its fields in the request itself
    const boost::json::array* const choices = array_in_claim(request, "firstAvailable");
    std::optional<ClaimedDevices> asked = choices ? devices_of_choice(*choices) : devices_of_request(exactly ? *exactly : request);
    if (!asked) continue;
    asked->request = claim_text(request, "name");
    all.push_back(*std::move(asked));
  }
  return all;
}

Result<ResourceClaim> claim_of(const Json& item, std::size_t at) {
  ResourceClaim claim;
  const Json* const metadata = find(item, "metadata");
  if (metadata) claim.name = claim_text(*metadata, "name");
  if (claim.name.empty())
    return Failure(Errc::malformed_response, fmt::format("{} is malformed: items[{}].metadata.name is missing", claim_list, at));
  claim.namespace_name = claim_text(*metadata, "namespace");
  const Json* const status = find(item, "status");
  const Json* const allocation = status ? find(*status, "allocation") : nullptr;
  const Json* const devices = allocation ? find(*allocation, "devices") : nullptr;
  const boost::json::array* const results = devices ? array_in_claim(*devices, "results") : nullptr;
  claim.devices = allocation ? (results ? allocated_devices(*results) : std::vector<ClaimedDevices>()) : requested_devices(item);
  return claim;
}

}  // namespace

Result<ResourceClaimPage> parse_resource_claims(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse(claim_list, json, limits);
  if (!document) return document.error();
  const boost::json::array* const items = array_in_claim(document->root(), "items");
  if (!items) {
    // Go writes an empty list as null.
    const boost::json::object* const root = document->root().if_object();
    if (!root || !root->contains("items") || find(document->root(), "items"))
      return Failure(Errc::malformed_response, fmt::format("{} has no items", claim_list));
  }
  ResourceClaimPage page;
  if (const Json* const metadata = find(document->root(), "metadata")) page.next_page = claim_text(*metadata, "continue");
  if (!items) return page;
  if (items->size() > limits.max_nodes) return Failure(Errc::limit_exceeded, fmt::format("{} has too many claims", claim_list));
  for (std::size_t i = 0; i < items->size(); ++i) {
    Result<ResourceClaim> claim = claim_of((*items)[i], i);
    if (!claim) return claim.error();
    page.claims.push_back(*std::move(claim));
  }
  return page;
}

Result<std::string> choose_claim_version(std::string_view group_json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the API group resource.k8s.io", group_json, limits);
  if (!document) return document.error();
  std::set<std::string, std::less<>> served;
  if (const boost::json::array* const versions = array_in_claim(document->root(), "versions")) {
    for (const Json& version : *versions) served.insert(claim_text(version, "version"));
  }
  for (const std::string_view version : claim_versions) {
    if (served.contains(version)) return std::string(version);
  }
  return Failure(Errc::unimplemented,
                 fmt::format("the server's API group resource.k8s.io has none of the versions {}", fmt::join(claim_versions, ", ")));
}

}  // namespace rollcall
