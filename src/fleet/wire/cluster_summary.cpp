#include "fleet/wire/cluster_summary.hpp"

#include "cluster/namespace_name.hpp"
#include "json/json_fields.hpp"
#include "render/fleet_cluster_fields.hpp"
#include "render/fleet_replicas_fields.hpp"
#include "rollcall/scheme_rules.hpp"

namespace rollcall {

std::string_view to_string(ClusterStanding standing) noexcept {
  switch (standing) {
    case ClusterStanding::ready: return "ready";
    case ClusterStanding::incomplete: return "incomplete";
    case ClusterStanding::provisioning: return "provisioning";
    case ClusterStanding::queued: return "queued";
    case ClusterStanding::unknown: return "unknown";
    case ClusterStanding::failed: break;
  }
  return "failed";
}

}  // namespace rollcall

namespace rollcall::fleet {
namespace {

class SentClusters {
 public:
  std::vector<FleetCluster> clusters;
};

constexpr auto cluster_list_fields = json_object<SentClusters>(array_field<&SentClusters::clusters, fleet_cluster_fields>("clusters"));
constexpr JsonForm<SentClusters> cluster_list_form = json_form<cluster_list_fields>("the service's list of clusters");
constexpr JsonForm<FleetReplicas> replicas_form = json_form<fleet_replicas_fields>("the service's list of replicas");

}  // namespace

std::string place_of(const Target& target) {
  const SchemeRules* const rules = find_scheme_rules(target.scheme);
  if (rules && rules->place == SchemePlace::namespace_name) {
    const std::string context = target.get("context").value_or("");
    const std::string within(namespace_in(target));
    return context.empty() ? within : within + " at " + context;
  }
  for (const char* const key : {"zone", "region", "cluster"}) {
    const std::string value = target.get(key).value_or("");
    if (!value.empty()) return value;
  }
  return {};
}

Result<std::vector<FleetCluster>> parse_cluster_list(std::string_view json, const ParseLimits& limits) {
  Result<SentClusters> list = read_json(cluster_list_form, json, limits);
  if (!list) return list.error();
  return std::move(list->clusters);
}

Result<FleetReplicas> parse_replicas(std::string_view json, const ParseLimits& limits) { return read_json(replicas_form, json, limits); }

}  // namespace rollcall::fleet
