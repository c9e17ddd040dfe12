// The states of all jobs in short, by `jobs/state/` of slurmrestd or by lines of squeue: enough to see which jobs have changed
// [facts: slurm-states].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "resolvers/slurm/wire/slurm_object.hpp"

namespace rollcall {

/// A mark stands for the state of one record: the same mark, the same state. Of an array, the tasks that wait share a record.
class SlurmMarks {
 public:
  SlurmMarks() {}
  /// `4711`, `5_0` (a task of an array, by its own number), `4+1` (a component, likewise), `2_[2-5]`, and what is known of it.
  void add(std::string_view job, std::string_view words);
  /// 0: Slurm does not list the job.
  std::uint64_t of(std::int64_t job) const;
  /// One mark of several records.
  std::uint64_t of(const std::vector<std::int64_t>& jobs) const;
  /// By the records' own numbers.
  const std::unordered_map<std::int64_t, std::uint64_t>& all() const noexcept { return marks_; }
  /// The number of jobs and tasks that were listed.
  std::size_t rows() const noexcept { return rows_; }

 private:
  std::unordered_map<std::int64_t, std::uint64_t> marks_;
  std::size_t rows_ = 0;
};

/// An element of the list `jobs` of an answer to `jobs/state/`.
void read_slurm_mark(const SlurmObject& object, SlurmMarks& marks);

/// Lines of `squeue -h -o "%A|%i|%T|%r"`. Others are skipped.
SlurmMarks read_mark_lines(std::string_view text);

}  // namespace rollcall
