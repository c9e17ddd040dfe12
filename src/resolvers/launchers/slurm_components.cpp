// Heterogeneous Slurm jobs: a step over several components lists all nodes in one sorted list, but its ranks go component by component
// [facts: slurm-components].
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "resolvers/launchers/slurm_plan.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

Failure component_failure(std::string what) {
  return Failure(Errc::failed_precondition, "slurm: this is a heterogeneous job: " + std::move(what))
      .with_hint("run the step in one component (srun --het-group=0), or choose the order name and say the task");
}

}  // namespace

Result<std::vector<SlurmNode>> arrange_by_component(std::vector<SlurmNode> nodes, const Environment& environment) {
  const int components = slurm_component_count(environment);
  if (components < 2 || nodes.size() < 2) return nodes;
  const std::vector<std::string> lists = slurm_component_lists(environment);
  if (static_cast<int>(lists.size()) < components)
    return component_failure(
        fmt::format("SLURM_HET_SIZE is {}, but only {} of its components have a SLURM_JOB_NODELIST_HET_GROUP_N", components, lists.size()));
  std::map<std::string, SlurmNode*> places;
  for (SlurmNode& node : nodes) {
    node.component = -1;
    places[to_lower(node.host)] = &node;
  }
  std::vector<SlurmNode> arranged;
  std::size_t listed = 0;
  for (int i = 0; i < components; ++i) {
    const std::string& variable = lists[static_cast<std::size_t>(i)];
    const Result<std::vector<std::string>> hosts = expand_host_list(slurm_text(environment, {variable}));
    if (!hosts) return component_failure(fmt::format("{}: {}", variable, hosts.error().what()));
    listed += hosts->size();
    if (listed > max_hosts_in_list) return component_failure(fmt::format("its components have more than {} nodes", max_hosts_in_list));
    for (const std::string& host : *hosts) {
      const auto found = places.find(to_lower(host));
      if (found == places.end() || found->second->component == i) continue;
      SlurmNode& node = *found->second;
      if (node.component >= 0)
        return component_failure(fmt::format("{} is in {} and in {}, so that the order of its ranks is not known", printable(host, 80),
                                             lists[static_cast<std::size_t>(node.component)], variable));
      node.component = i;
      arranged.push_back(node);
    }
  }
  for (const SlurmNode& node : nodes) {
    if (node.component < 0)
      return component_failure(fmt::format("{} of SLURM_STEP_NODELIST is in none of its components", printable(node.host, 80)));
  }
  return arranged;
}

}  // namespace rollcall
