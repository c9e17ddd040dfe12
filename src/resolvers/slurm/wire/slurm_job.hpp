// A job's record, in the forms of REST v0.0.36 to v0.0.45 and of `scontrol show job --json` and `squeue --json`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/slurm/wire/slurm_object.hpp"

namespace rollcall {

/// Texts are as Slurm has them, not made printable.
class SlurmJobRecord {
 public:
  SlurmJobRecord() {}
  std::int64_t id = 0;
  std::string name;
  std::string user;
  std::string account;
  std::string qos;
  std::string cluster;
  std::vector<std::string> partitions;  ///< several while it is pending
  std::vector<std::string> states;      ///< upper case: a base such as PENDING, and flags such as CONFIGURING
  std::string reason;                   ///< `Resources`; empty for None
  std::string description;              ///< a longer text, which may name nodes; mostly empty
  std::string nodes;                    ///< a host list; empty while it is pending
  std::string required_nodes;
  std::string excluded_nodes;
  std::string features;  ///< as the user wrote them: `a&b`, `[r1|r2]*2`
  int node_count = 0;    ///< those that it asks for, while it is pending
  int tasks = 0;
  int tasks_per_node = 0;        ///< 0: not asked for
  int cpus_per_node = 0;         ///< at least so many
  std::int64_t memory_per_node = 0;  ///< MB; 0: not asked for
  bool is_batch = false;
  std::string tres_per_job;
  std::string tres_per_node;
  std::string tres_per_task;
  std::vector<std::string> gres_detail;  ///< one for each node of `nodes`
  std::optional<WallTime> eligible;
  std::optional<WallTime> start;  ///< while it is pending, when the scheduler expects it to start
  std::optional<WallTime> end;
  std::optional<WallTime> preempted;
  std::optional<int> time_limit;  ///< minutes; absent: none
  int restarts = 0;
  int exit_code = 0;
  int signal = 0;
  std::optional<std::int64_t> array_job;
  std::optional<std::int64_t> array_task;
  std::string array_tasks;  ///< of the record of those that have not started: `2-5%1`
  std::int64_t het_job = 0;
  int het_offset = 0;
  std::string dependency;
  std::string licenses;
  std::string reservation;
  std::string admin_comment;
  std::string system_comment;
  std::string output;  ///< the file of its standard output; may be empty

  /// True for the job of this id, the tasks of an array and the components of a heterogeneous job.
  bool is_of(std::int64_t job) const { return id == job || array_job == job || het_job == job; }
  bool is(std::string_view state) const;
  /// True if it waits to run, for the first time or again.
  bool is_pending() const { return base() == "PENDING"; }
  /// The base state, `PENDING`; empty: none that is known.
  std::string_view base() const;
  /// True if it does not run any more, and does not wait to run again.
  bool is_over() const;
  /// True if it does not run any more, and its state leaves open whether it is over or will be requeued: up to v0.0.39 `COMPLETING` stands
  /// in the place of either.
  bool is_ending() const;
};

/// An element of the list `jobs` of an answer.
SlurmJobRecord read_slurm_job(const SlurmObject& object);

}  // namespace rollcall
