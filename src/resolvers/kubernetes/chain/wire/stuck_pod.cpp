#include "resolvers/kubernetes/chain/wire/stuck_pod.hpp"

#include <algorithm>

#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_entries = 100;

// Those with a vendor's name: `nvidia.com/gpu`.
void add_requests(StuckPod& pod, const boost::json::value& container) {
  const boost::json::value* const resources = find(container, "resources");
  if (!resources) return;
  for (const auto& [name, quantity] : resources_at(*resources, "limits")) {
    const std::optional<std::int64_t> count = whole_devices(quantity);
    if (name.find('/') == std::string::npos || !count) continue;
    pod.requests[name] += *count;  // at most a hundred times 2^50
  }
}

void add_group(StuckPod& pod, std::string_view api_group, std::string name) {
  if (!name.empty()) pod.groups.emplace_back(std::string(api_group), std::move(name));
}

// [facts: k8s-pod-groups]
void read_groups(StuckPod& pod, const boost::json::value& metadata) {
  std::string volcano = text_at(metadata, "annotations", "scheduling.k8s.io/group-name", max_name_text);
  if (volcano.empty()) volcano = text_at(metadata, "annotations", "scheduling.volcano.sh/group-name", max_name_text);
  add_group(pod, "scheduling.volcano.sh", std::move(volcano));
  add_group(pod, "scheduling.x-k8s.io", text_at(metadata, "labels", "scheduling.x-k8s.io/pod-group", max_name_text));
}

void read_spec(StuckPod& pod, const boost::json::value& spec) {
  pod.scheduler = text_at(spec, "schedulerName");
  add_group(pod, "scheduling.k8s.io", text_at(spec, "schedulingGroup", "podGroupName", max_name_text));
  const boost::json::array* const volumes = array_at(spec, "volumes");
  for (std::size_t i = 0; volumes && i < std::min(volumes->size(), max_entries); ++i) {
    std::string claim = text_at((*volumes)[i], "persistentVolumeClaim", "claimName", max_name_text);
    if (!claim.empty()) pod.claims.push_back(std::move(claim));
  }
  const boost::json::array* const containers = array_at(spec, "containers");
  for (std::size_t i = 0; containers && i < std::min(containers->size(), max_entries); ++i) add_requests(pod, (*containers)[i]);
}

}  // namespace

Result<StuckPod> parse_stuck_pod(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the pod", json, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  StuckPod pod;
  pod.object = object_of(root);
  if (pod.object.name.empty()) return Failure(Errc::malformed_response, "the pod: metadata.name is missing");
  if (const boost::json::value* const metadata = find(root, "metadata")) read_groups(pod, *metadata);
  if (const boost::json::value* const spec = find(root, "spec")) read_spec(pod, *spec);
  pod.conditions = conditions_at(root);
  pod.nominated_node = text_at(root, "status", "nominatedNodeName", max_name_text);
  return pod;
}

Result<VolumeClaim> parse_volume_claim(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the claim", json, limits);
  if (!document) return document.error();
  VolumeClaim claim;
  claim.object = object_of(document->root());
  if (claim.object.name.empty()) return Failure(Errc::malformed_response, "the claim: metadata.name is missing");
  claim.phase = text_at(document->root(), "status", "phase", 32);
  claim.storage_class = text_at(document->root(), "spec", "storageClassName", max_name_text);
  return claim;
}

Result<std::vector<FullQuota>> parse_full_quotas(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the list of quotas", json, limits);
  if (!document) return document.error();
  const boost::json::array* const items = array_at(document->root(), "items");
  if (!items) return Failure(Errc::malformed_response, "the list of quotas has no items");
  std::vector<FullQuota> full;
  for (std::size_t i = 0; i < std::min(items->size(), max_entries); ++i) {
    const boost::json::value* const status = find((*items)[i], "status");
    if (!status) continue;
    const std::map<std::string, std::string> used = resources_at(*status, "used");
    for (const auto& [resource, hard] : resources_at(*status, "hard")) {
      const auto mine = used.find(resource);
      const std::optional<std::int64_t> limit = whole_devices(hard);
      const std::optional<std::int64_t> taken = mine == used.end() ? std::nullopt : whole_devices(mine->second);
      if (!limit || !taken || *taken < *limit || full.size() >= max_entries) continue;
      FullQuota& one = full.emplace_back();
      one.quota = text_at((*items)[i], "metadata", "name", max_name_text);
      one.resource = resource;
      one.used = mine->second;
      one.hard = hard;
    }
  }
  return full;
}

}  // namespace rollcall
