// Which job a target names: `4711`, `4711_3` of an array, `4711+1` of a heterogeneous job, or a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/slurm/wire/slurm_job.hpp"

namespace rollcall {

class SlurmReference {
 public:
  SlurmReference() {}
  /// Errors: invalid_argument.
  static Result<SlurmReference> parse(std::string_view text);

  std::int64_t id = 0;               ///< 0: by name
  std::optional<std::int64_t> task;  ///< of an array
  std::optional<int> component;      ///< of a heterogeneous job
  std::string name;
  /// As Slurm writes it.
  std::string text() const;
};

/// The records that are meant: one, or each component of a heterogeneous job in order. Errors: not_found, invalid_argument (a job of
/// several tasks, of which none is named), conflict (several jobs of that name).
Result<std::vector<SlurmJobRecord>> select_slurm_jobs(const SlurmReference& wanted, std::vector<SlurmJobRecord> records);

/// `4711`, `4711_3` or `4711+1`: how Slurm's commands name the job of a record.
std::string slurm_job_text(const SlurmJobRecord& job);

}  // namespace rollcall
