// TPU slices of a cluster: which tasks share one, and how a slice's chips fall to its tasks. Pure.
#pragma once

#include "launch/ranks.hpp"

namespace rollcall {

/// The slice that this host's task is in. Every job is a slice, or as many as LaunchFacts::slices says.
class OwnSlice {
 public:
  OwnSlice() {}
  std::vector<Rank> tasks;  ///< of this slice, in worker order
  int worker = 0;           ///< which of them this task is
  int number = 0;           ///< of this slice
  ClusterSpec all;          ///< a job for each slice, in their order
  std::vector<Rank> ranks;  ///< of all slices
};

/// Errors: those of ranks_of() and own_rank(), and failed_precondition (LaunchFacts::slices does not add up to the job's tasks).
Result<OwnSlice> own_slice(const LaunchFacts& facts);

/// What a task of a slice has of its chips.
class SliceShape {
 public:
  SliceShape() {}
  AcceleratorType type;
  int hosts = 0;
  int tasks_per_host = 1;
  int local = 0;                  ///< this task among those of its host and slice
  std::array<int, 3> chips{};     ///< of each task, by axis
  std::array<int, 3> grid{};      ///< of tasks, by axis; chips × grid is the topology
  int chips_per_task() const noexcept { return chips[0] * chips[1] * chips[2]; }
};

/// Errors: failed_precondition (the type is not known; it has another number of hosts than the slice; hosts with different numbers of
/// tasks, or with a number that its chips cannot be shared among; tasks of a host that do not follow each other).
Result<SliceShape> shape_of(const OwnSlice& slice, const LaunchFacts& facts);

/// `2,2,1`
std::string bounds_text(const std::array<int, 3>& extent);

}  // namespace rollcall
