// What Slurm says about one job, and what follows from it: the status of its nodes, why it waits, how it ended. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "resolvers/slurm/rules/slurm_candidates.hpp"
#include "resolvers/slurm/rules/slurm_node_snapshot.hpp"
#include "resolvers/slurm/wire/slurm_job.hpp"
#include "resolvers/slurm/wire/slurm_node.hpp"
#include "resolvers/slurm/wire/slurm_place.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// What has to be asked, besides the job itself, to explain its state.
class SlurmNeeds {
 public:
  SlurmNeeds() {}
  bool all_nodes = false;
  std::vector<std::string> nodes;       ///< these, if not all
  std::set<std::string> partitions;
  bool reservations = false;
  std::set<std::int64_t> jobs;          ///< that it waits for
};

class SlurmView {
 public:
  SlurmView() {}
  std::vector<SlurmJobRecord> jobs;  ///< one, or each component of a heterogeneous job
  std::vector<SlurmNodeRecord> nodes;  ///< those that were asked for
  SlurmNodesPointer all_nodes;         ///< in their place; null: only `nodes` are known
  std::vector<SlurmPartition> partitions;
  std::vector<SlurmReservation> reservations;
  std::vector<SlurmJobRecord> awaited;  ///< jobs that it depends on, as far as Slurm knows them
  std::string missing;  ///< why nodes, partitions and the others could not be asked; empty: they were
  WallTime now;

  const std::vector<SlurmNodeRecord>& known_nodes() const { return all_nodes ? all_nodes->nodes : nodes; }
};

/// Errors: invalid_argument, limit_exceeded (a node list).
Result<SlurmNeeds> slurm_needs(const std::vector<SlurmJobRecord>& jobs);

/// Why a pending job waits: a level (waiting, unschedulable, stopped, lost), a sentence, and the causes.
class SlurmWait {
 public:
  SlurmWait() {}
  Condition condition;
  std::vector<Cause> causes;
};
SlurmWait explain_slurm_wait(const SlurmJobRecord& job, const SlurmView& view);

/// `QOSMaxJobsPerUserLimit` is `QOS max jobs per user limit`. Printable.
std::string slurm_reason_words(std::string_view name);
/// The first reservation that has nodes which the job could get. The job's own reservation does not count. Null: there is none.
const SlurmReservation* overlapping_reservation(const SlurmJobRecord& job, const SlurmView& view);

/// How a job that is over has ended: `FAILED, exit code 3`.
std::string slurm_end_words(const SlurmJobRecord& job);

/// The ids in `afterok:11:12(unfulfilled),afterany:13`. At most 64.
std::set<std::int64_t> slurm_dependencies(std::string_view dependency);

class SlurmStatusOptions {
 public:
  SlurmStatusOptions() {}
  std::string job_name = "worker";
  std::uint16_t port = 8888;
  bool uses_node_addr = false;  ///< NodeAddr is the address; else the name
};
/// Errors: invalid_argument, limit_exceeded (a node list).
Result<ClusterStatus> slurm_status(const SlurmView& view, const SlurmStatusOptions& options);

}  // namespace rollcall
