// Fuzz target: what a service lists, as `rollcall fleet` reads it: its clusters, and its replicas. The first byte selects the list. An
// accepted list is safe to print, and reads as the same after it is written.
#include <cstdint>

#include "base/text.hpp"
#include "check.hpp"
#include "fleet/wire/cluster_summary.hpp"
#include "render/render_fleet.hpp"

using namespace rollcall;

namespace {

void read_clusters(std::string_view text, const ParseLimits& limits) {
  const Result<std::vector<FleetCluster>> read = fleet::parse_cluster_list(text, limits);
  require_sane(read);
  if (!read) return;
  std::string written = "{\"clusters\":[";
  for (const FleetCluster& cluster : *read) {
    require(!cluster.target.empty() && cluster.ready >= 0 && cluster.total >= 0);
    for (const std::string& line : {cluster.target, cluster.place, cluster.type, cluster.state, cluster.missing, cluster.trouble})
      require(printable_line(line) == line);
    if (written.back() == '}') written += ',';
    written += render_fleet_cluster(cluster);
  }
  const Result<std::vector<FleetCluster>> again = fleet::parse_cluster_list(written + "]}", ParseLimits());
  require(again && *again == *read);
}

void read_replicas(std::string_view text, const ParseLimits& limits) {
  const Result<FleetReplicas> read = fleet::parse_replicas(text, limits);
  require_sane(read);
  if (!read) return;
  require(printable(read->replica) == read->replica && printable(read->leader) == read->leader);
  require(printable(read->leader_url) == read->leader_url && printable_line(read->trouble) == read->trouble);
  for (const FleetReplica& one : read->replicas) require(!one.replica.empty() && printable(one.replica) == one.replica);
  const Result<FleetReplicas> again = fleet::parse_replicas(render_fleet_replicas(*read), ParseLimits());
  require(again && again->replicas == read->replicas && again->leader == read->leader && again->epoch == read->epoch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  return read_as_chosen(data, size, {read_clusters, read_replicas});
}
