// TPU slices of a cluster: the tasks of each slice, and the chips of each task. Pure.
#pragma once

#include "launch/ranks.hpp"

namespace rollcall {

/// The slice of this host's task. Every job is one slice, or the slices given by LaunchFacts::slices.
class OwnSlice {
 public:
  OwnSlice() {}
  std::vector<Rank> tasks;  ///< of this slice, in worker order
  int worker = 0;           ///< index of this task in `tasks`
  int number = 0;           ///< the number of this slice
  ClusterSpec all;          ///< a job for each slice, in their order
  std::vector<Rank> ranks;  ///< of all slices
};

/// Errors: those of ranks_of() and own_rank(), and failed_precondition (the sum of LaunchFacts::slices differs from the job's tasks).
Result<OwnSlice> own_slice(const LaunchFacts& facts);

/// The distribution of a slice's chips over its tasks.
class SliceShape {
 public:
  SliceShape() {}
  AcceleratorType type;
  int hosts = 0;
  int tasks_per_host = 1;
  int local = 0;                  ///< index of this task among the tasks of its host and slice
  std::array<int, 3> chips{};     ///< of each task, by axis
  std::array<int, 3> grid{};      ///< of tasks, by axis; chips × grid is the topology
  int chips_per_task() const noexcept { return chips[0] * chips[1] * chips[2]; }
};

/// Errors: failed_precondition (the type is not known; its number of hosts differs from the slice's; hosts with different numbers of
/// tasks, or with a number that does not divide the chips; tasks of a host that are not consecutive).
Result<SliceShape> shape_of(const OwnSlice& slice, const LaunchFacts& facts);

/// `2,2,1`
std::string bounds_text(const std::array<int, 3>& extent);

}  // namespace rollcall
