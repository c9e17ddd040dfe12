#include "render/render_fleet.hpp"

#include "render/fleet_cluster_fields.hpp"
#include "render/fleet_replicas_fields.hpp"

namespace rollcall {

std::string render_fleet_cluster_head(const FleetCluster& cluster) {
  std::string out = "{";
  write_json_fields(out, fleet_cluster_head_fields.fields, &cluster);
  return out;
}

std::string render_fleet_cluster(const FleetCluster& cluster) { return to_json(fleet_cluster_fields, cluster); }

std::string render_fleet_replicas(const FleetReplicas& replicas) { return to_json(fleet_replicas_fields, replicas); }

}  // namespace rollcall
