// Which nodes a pending job could get, and which of them hold it up. Slurm's own list, in the description of a job, is not to be trusted:
// from 24.11 on it leaves drained nodes out, before it names healthy ones. [facts: slurm-unavailable-nodes]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/slurm/wire/slurm_job.hpp"
#include "resolvers/slurm/wire/slurm_node.hpp"
#include "resolvers/slurm/wire/slurm_place.hpp"

namespace rollcall {

/// True if Slurm gives the node to no job as it is. A powered-down node of a cloud is able: it is started for a job.
bool is_unable(const SlurmNodeRecord& node);

/// The state in a word or two: `drained`, `draining`, `down`, `not responding`, `booting`; empty where nothing is wrong.
std::string slurm_node_words(const SlurmNodeRecord& node);
/// `drained by root: gpu 3 fell off the bus`, with the reason where it belongs to the state. Printable.
std::string slurm_node_story(const SlurmNodeRecord& node);

class SlurmCandidates {
 public:
  int needed = 0;
  int candidates = 0;  ///< nodes that fit what the job asks for
  int free = 0;        ///< of these, able and idle
  std::string lacking;  ///< `20 gpu, and those that can be used have 18`; empty: there are enough, or it asks for so many a node
  std::vector<const SlurmNodeRecord*> unable;  ///< of these
  /// The nodes without which the job cannot start: those that it requires by name, or all unable ones where too few are left.
  std::vector<const SlurmNodeRecord*> to_blame;
  std::vector<std::string> unknown;  ///< nodes that the job requires, and that are not among Slurm's nodes, nor in its partitions
};

/// `nodes` are all that Slurm shows; they must outlive the answer. Nodes of the partitions that it does not show, as 22.05 does not show
/// powered-down nodes of a cloud, are counted as able.
SlurmCandidates find_candidates(const SlurmJobRecord& job, const std::vector<SlurmNodeRecord>& nodes,
                                const std::vector<SlurmPartition>& partitions);

/// `it needs 2 nodes; 3 have what it asks for: 1 free, 1 busy, 1 cannot be used`
std::string slurm_count_words(const SlurmCandidates& found);

/// `a&b`, `a|b`, `[r1|r2]*2`: true if a node with these features can be one of the nodes.
bool fits_features(std::string_view asked, const std::vector<std::string>& features);

}  // namespace rollcall
