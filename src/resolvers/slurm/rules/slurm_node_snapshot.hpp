// All nodes as Slurm showed them at one time, shared by the jobs that need them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "json/memory_share.hpp"
#include "resolvers/slurm/rules/slurm_candidates.hpp"

namespace rollcall {

class SlurmNodeSnapshot {
 public:
  explicit SlurmNodeSnapshot(std::vector<SlurmNodeRecord> records, MemoryShare memory = {});
  SlurmNodeSnapshot(const SlurmNodeSnapshot&) = delete;
  SlurmNodeSnapshot& operator=(const SlurmNodeSnapshot&) = delete;

  const std::vector<SlurmNodeRecord> nodes;

  /// Null: Slurm does not show it.
  const SlurmNodeRecord* find(std::string_view name) const;
  /// Those of `names` that Slurm shows.
  std::vector<SlurmNodeRecord> pick(const std::vector<std::string>& names) const;
  /// The candidates for a pending job. Jobs that ask for the same share one answer.
  const SlurmCandidates& candidates(const SlurmJobRecord& job, const std::vector<SlurmPartition>& partitions) const;

 private:
  MemoryShare memory_;
  std::unordered_map<std::string_view, const SlurmNodeRecord*> by_name_;
  mutable std::map<std::string, SlurmCandidates> candidates_;  // by what a job asks for
  mutable SlurmCandidates last_;                               // of a job that is not among them, when there are many
};

using SlurmNodesPointer = std::shared_ptr<const SlurmNodeSnapshot>;

/// The names of nodes that are new, gone, or different in anything that the status of a job shows.
std::unordered_set<std::string> changed_slurm_nodes(const SlurmNodeSnapshot& before, const SlurmNodeSnapshot& after);

}  // namespace rollcall
