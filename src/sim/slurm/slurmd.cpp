#include "sim/slurm/slurmd.hpp"

#include <algorithm>
#include <set>

#include "sim/model/model.hpp"

namespace rollcall::sim {
namespace {

const std::string& host_of_slurmd(const SlurmNodeModel& node) { return node.address.empty() ? node.name : node.address; }

bool answers_at(const SlurmNodeModel& node, Duration now) {
  const SlurmNodeMoment* const moment = moment_at(node.timeline, now);
  return !moment || moment->answers;
}

}  // namespace

std::vector<Endpoint> slurmd_addresses(const SlurmClusterModel& cluster) {
  std::vector<Endpoint> addresses;
  std::set<std::string> seen;
  for (const SlurmNodeModel& node : cluster.nodes) {
    Endpoint address(host_of_slurmd(node), static_cast<std::uint16_t>(node.port));
    if (seen.insert(address.to_text()).second) addresses.push_back(std::move(address));
  }
  return addresses;
}

bool is_slurmd_running(const SlurmClusterModel& cluster, const Endpoint& address, Duration now) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&address, now](const SlurmNodeModel& node) {
    return address.port == node.port && (address.host == host_of_slurmd(node) || address.host == node.name) && answers_at(node, now);
  });
}

std::optional<Duration> next_slurmd_change(const SlurmClusterModel& cluster, Duration now) {
  std::optional<Duration> next;
  for (const SlurmNodeModel& node : cluster.nodes) {
    const std::optional<Duration> own = next_moment(node.timeline, now);
    if (own && (!next || *own < *next)) next = own;
  }
  return next;
}

}  // namespace rollcall::sim
