// The records of the jobs that are followed together, and which of them must be asked for again. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "resolvers/slurm/rules/slurm_node_snapshot.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/wire/slurm_marks.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class SlurmKnownJob {
 public:
  SlurmKnownJob() {}
  bool is_known = false;
  std::vector<SlurmJobRecord> records;
  std::optional<Failure> failure;   ///< of the last question; with it `records` do not count
  std::uint64_t revision = 0;       ///< of what the status shows
  std::uint64_t mark = 0;           ///< of the records' own numbers, as listed just before they were asked for
  std::uint64_t nodes_seen = 0;     ///< the number of the snapshot that a waiting job was last explained with
  std::vector<std::int64_t> numbers;     ///< the records' own
  std::vector<std::string> nodes;   ///< on which it runs
  bool is_waiting = false;
  bool is_over = false;
  SteadyTime asked_at{};
  SteadyTime wanted_at{};
};

/// What a round has to ask for.
class SlurmRoundPlan {
 public:
  SlurmRoundPlan() {}
  std::vector<std::int64_t> ids;  ///< the most urgent first
  bool by_list = false;           ///< one list of all jobs costs less
  std::size_t unknown = 0;        ///< how many of `ids`, the first ones, have no record yet
};

class SlurmKnownJobs {
 public:
  /// `marks` null: Slurm does not list states alone. `may_list`: the last list is some time ago.
  SlurmRoundPlan plan(const std::set<std::int64_t>& wanted, const SlurmMarks* marks, bool may_list, SteadyTime now);
  /// The answer to a question for the job.
  void take(std::int64_t id, std::vector<SlurmJobRecord> records, const SlurmMarks* marks, SteadyTime now);
  void fail(std::int64_t id, Failure failure);
  /// All nodes as they are now. Jobs whose nodes have changed get another revision; those that wait take turns where they are many.
  void take_nodes(const std::set<std::int64_t>& wanted, SlurmNodesPointer nodes);
  /// Null: it is not known.
  const SlurmKnownJob* find(std::int64_t id) const;
  /// Forgets those that were not wanted lately.
  void forget_old(SteadyTime now);
  std::size_t size() const noexcept { return jobs_.size(); }

 private:
  std::map<std::int64_t, SlurmKnownJob> jobs_;
  SlurmNodesPointer nodes_;
  std::uint64_t last_revision_ = 0;
  std::uint64_t snapshots_ = 0;  // so many different ones were taken
  std::uint64_t rounds_ = 0;
};

/// Those of the records that `wanted` can mean. Of a task of an array they are its own and that of the waiting ones.
std::vector<SlurmJobRecord> slurm_records_for(const SlurmReference& wanted, const std::vector<SlurmJobRecord>& records);

}  // namespace rollcall
