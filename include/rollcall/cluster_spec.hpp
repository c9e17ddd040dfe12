// The addresses that form a cluster, by job and task index. A value: copyable, comparable, no I/O.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/task_addresses.hpp"

namespace rollcall {

/// Jobs in insertion order; each maps task indices (0 … 2^31-1) to addresses (`host:port`, opaque text here).
/// Source: tf.train.ClusterSpec.
class ClusterSpec {
 public:
  using Tasks = TaskAddresses;
  /// A job: its name, and the addresses of its tasks by index.
  class Job {
   public:
    Job() {}
    Job(std::string job_name, Tasks job_tasks) : name(std::move(job_name)), tasks(std::move(job_tasks)) {}
    std::string name;
    Tasks tasks;
    friend bool operator==(const Job&, const Job&) = default;
  };

  ClusterSpec() {}

  /// Adds or replaces a job; a replaced job keeps its place. Index = position.
  void set_job(std::string name, std::vector<std::string> addresses);
  /// Takes an initializer list, so that a braced list of two strings (`set_job("worker", {"a:1", "b:1"})`) is not taken for an iterator
  /// pair.
  void set_job(std::string name, std::initializer_list<std::string> addresses) {
    set_job(std::move(name), std::vector<std::string>(addresses));
  }
  /// Adds or replaces a sparse job. Errors: invalid_argument for a negative index.
  [[nodiscard]] Result<void> set_job(std::string name, Tasks tasks);

  /// True when there are no jobs. A job without tasks makes it false.
  bool empty() const noexcept { return jobs_.empty(); }
  explicit operator bool() const noexcept { return !empty(); }

  const std::vector<Job>& job_list() const noexcept { return jobs_; }
  std::vector<std::string> jobs() const;  ///< names, in insertion order
  bool has_job(std::string_view job) const noexcept;

  // Errors of the following: not_found naming the job (and index).
  Result<int> num_tasks(std::string_view job) const;                     ///< defined tasks, not the highest index
  Result<std::vector<int>> task_indices(std::string_view job) const;     ///< ascending
  Result<std::string> task_address(std::string_view job, int index) const;
  /// Length = highest index + 1, holes are std::nullopt; empty for a job without tasks. Errors also: limit_exceeded when
  /// that length is over 1,048,576.
  Result<std::vector<std::optional<std::string>>> job_tasks(std::string_view job) const;

  /// True if tasks are 0 … n-1 with n ≥ 1, so that as_dict() shows a list.
  static bool is_dense(const Tasks& tasks) noexcept;

  /// Equality of job → index → address; order of jobs does not matter.
  friend bool operator==(const ClusterSpec& a, const ClusterSpec& b);

  /// `ClusterSpec({'ps': ['a:1'], 'worker': {1: 'b:1'}})`: Python's spelling, jobs sorted.
  std::string to_text() const;

  /// as_dict form: a list for a dense job, an object with decimal keys for a sparse one, `{}` for a job without tasks.
  /// Jobs in insertion order, compact.
  std::string to_json() const;
  /// Accepts the output of to_json(). Errors: invalid_argument naming job and key.
  static Result<ClusterSpec> from_json(std::string_view text);

  /// Serialized tensorflow.ClusterDef: jobs sorted by name, tasks by index (a spec read from a ClusterDef keeps that order).
  std::string to_cluster_def() const;
  /// Errors: malformed_response for bytes that are no ClusterDef; invalid_argument for negative indices.
  static Result<ClusterSpec> from_cluster_def(std::string_view bytes);

 private:
  std::size_t place_of(std::string_view job) const noexcept;  // index in jobs_; jobs_.size() if there is no such job

  // A pointer, to be small while it is empty, which is usual: specs are moved often.
  class Places {
   public:
    using Map = std::map<std::string, std::size_t, std::less<>>;
    Places() {}
    Places(const Places& other) : map_(other.map_ ? std::make_unique<Map>(*other.map_) : nullptr) {}
    Places(Places&&) noexcept = default;
    Places& operator=(Places other) noexcept {
      map_.swap(other.map_);
      return *this;
    }
    Map& renew() { return *(map_ = std::make_unique<Map>()); }
    Map& map() noexcept { return *map_; }
    const Map& map() const noexcept { return *map_; }

   private:
    std::unique_ptr<Map> map_;
  };

  std::vector<Job> jobs_;
  Places places_;             // in jobs_, where there are more than a few
  bool keeps_order_ = false;  // parsed from a ClusterDef: to_cluster_def() does not sort
};

/// Merges as tf.distribute's UnionResolver does: a job whose parts are all dense is the concatenation, in order; otherwise
/// indices are kept, and a clash is Errc::conflict naming job and indices. A part without tasks counts as sparse.
Result<ClusterSpec> merge(const std::vector<ClusterSpec>& specs);

}  // namespace rollcall
