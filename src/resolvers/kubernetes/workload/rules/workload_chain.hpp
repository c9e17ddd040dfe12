// A workload with the objects that own it, and what they say of it as a whole. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/kubernetes/workload/wire/workload.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class WorkloadChain {
 public:
  WorkloadChain() {}
  /// The outermost owner first: TrainJob, JobSet, Job.
  std::vector<std::shared_ptr<const Workload>> levels;
  std::string stopped;  ///< why no further owner is known; empty: there is none
  bool is_refused = false;  ///< since it may not be read
  bool is_gone = false;  ///< since it does not exist any more: the pods are collected soon

  std::size_t counted_at = 0;  ///< the level by which pods are counted

  /// Null: there is none.
  const Workload* counted() const noexcept { return counted_at < levels.size() ? levels[counted_at].get() : nullptr; }
  /// Counts by the outermost, or by what that makes in its place.
  void count_by_outermost() noexcept { counted_at = !levels.empty() && levels.front()->stands_for && levels.size() > 1 ? 1 : 0; }
  /// True if one of the levels has this uid.
  bool has(std::string_view uid) const noexcept;
};

/// `JobSet trainer: 4 × 16`. The number is the members'.
std::string describe_size(const Workload& workload);
/// The number of its members; saturates.
int total_of(const Workload& workload);

/// The first thing that holds up all of it, from the outermost level on: suspended, ended, failed, being deleted, run elsewhere.
class WorkloadState {
 public:
  WorkloadState() {}
  std::optional<Cause> cause;
  Condition condition;  ///< of the cluster as a whole
  bool is_queued = false;
};
WorkloadState state_of(const WorkloadChain& chain);
/// The code of its cause, if a Job has given up some of its indices, and goes on with the others.
constexpr std::string_view given_up_code = "FailedIndexes";

/// Where `status` lacks members of `workload`: what its controller says of that, and the stages that have to come first.
std::vector<Cause> order_causes(const Workload& workload, const ClusterStatus& status);

}  // namespace rollcall
