#include "resolvers/slurm/rules/slurm_node_snapshot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tuple>

namespace rollcall {
namespace {

constexpr std::size_t max_remembered_asks = 1000;

auto shown_parts(const SlurmNodeRecord& node) {
  return std::tie(node.states, node.reason, node.reason_by, node.reason_at, node.address, node.port, node.partitions, node.features,
                  node.gres, node.reservation);
}

std::string ask_key(const SlurmJobRecord& job) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{} {} {} {}", fmt::join(job.partitions, ","), job.required_nodes, job.excluded_nodes,
                     job.features, job.tres_per_job, job.tres_per_node, job.tres_per_task, job.node_count, job.tasks_per_node,
                     job.cpus_per_node, job.memory_per_node);
}

}  // namespace

SlurmNodeSnapshot::SlurmNodeSnapshot(std::vector<SlurmNodeRecord> records, MemoryShare memory)
    : nodes(std::move(records)), memory_(std::move(memory)) {
  by_name_.reserve(nodes.size());
  for (const SlurmNodeRecord& node : nodes) by_name_.emplace(node.name, &node);
}

const SlurmNodeRecord* SlurmNodeSnapshot::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<SlurmNodeRecord> SlurmNodeSnapshot::pick(const std::vector<std::string>& names) const {
  std::vector<SlurmNodeRecord> picked;
  for (const std::string& name : names) {
    if (const SlurmNodeRecord* const node = find(name)) picked.push_back(*node);
  }
  return picked;
}

const SlurmCandidates& SlurmNodeSnapshot::candidates(const SlurmJobRecord& job, const std::vector<SlurmPartition>& partitions) const {
  std::string key = ask_key(job);
  const auto known = candidates_.find(key);
  if (known != candidates_.end()) return known->second;
  SlurmCandidates found = find_candidates(job, nodes, partitions);
  if (candidates_.size() < max_remembered_asks) return candidates_.emplace(std::move(key), std::move(found)).first->second;
  return last_ = std::move(found);
}

std::unordered_set<std::string> changed_slurm_nodes(const SlurmNodeSnapshot& before, const SlurmNodeSnapshot& after) {
  std::unordered_set<std::string> changed;
  for (const SlurmNodeRecord& node : after.nodes) {
    const SlurmNodeRecord* const known = before.find(node.name);
    if (!known || shown_parts(*known) != shown_parts(node)) changed.insert(node.name);
  }
  for (const SlurmNodeRecord& node : before.nodes) {
    if (!after.find(node.name)) changed.insert(node.name);
  }
  return changed;
}

}  // namespace rollcall
