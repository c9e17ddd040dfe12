// What is different between two looks at a cluster. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/place_order.hpp"
#include "rollcall/watch.hpp"

namespace rollcall {

/// A comparison in the making, for a loop that has other things to do as well. Both looks must outlive it and stay as they are.
class StatusDiff {
 public:
  StatusDiff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);

  /// Compares so many members more; false: there are none.
  bool step(std::size_t members);
  /// Members that left, joined and changed, in that order, and notices that are new; after the last step.
  std::vector<ClusterChange> take_changes();

 private:
  void look_at_former(const Place& place);
  void look_at_present(const Place& place);
  void compare_notices();

  const ClusterStatus& before_;
  const ClusterStatus& now_;
  SteadyTime at_;
  std::vector<Place> old_places_;
  std::vector<Place> new_places_;
  std::size_t next_ = 0;   // of the old places, then of the new ones
  std::size_t other_ = 0;  // where the other list is
  std::vector<ClusterChange> left_;
  std::vector<ClusterChange> joined_;
  std::vector<ClusterChange> changed_;
};

/// All of it at once.
std::vector<ClusterChange> status_diff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);

}  // namespace rollcall
