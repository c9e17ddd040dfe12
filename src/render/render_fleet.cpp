#include "render/render_fleet.hpp"

#include <fmt/format.h>

#include <iterator>

#include "json/json_text.hpp"

namespace rollcall {

std::string render_fleet_cluster_head(const FleetCluster& cluster) {
  std::string out = "{";
  append_json_field(out, "target", cluster.target);
  append_json_field(out, "place", cluster.place);
  append_json_field(out, "type", cluster.type);
  append_json_field(out, "standing", to_string(cluster.standing));
  append_json_field(out, "phase", to_string(cluster.phase));
  append_json_field(out, "state", cluster.state);
  fmt::format_to(std::back_inserter(out), ",\"ready\":{},\"total\":{}", cluster.ready, cluster.total);
  append_json_field(out, "missing", cluster.missing);
  append_json_field(out, "trouble", cluster.trouble);
  fmt::format_to(std::back_inserter(out), ",\"generation\":{},\"followers\":{}", cluster.generation, cluster.followers);
  return out;
}

std::string render_fleet_cluster(const FleetCluster& cluster) {
  return fmt::format("{},\"age_ms\":{}}}", render_fleet_cluster_head(cluster),
                     cluster.age ? fmt::format("{}", cluster.age->count()) : std::string("null"));
}

}  // namespace rollcall
