// Statuses compared and merged in one go, where the library does it in steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/merge_status.hpp"
#include "readiness/status_diff.hpp"

namespace rollcall::testing {

inline std::vector<ClusterChange> status_diff(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at) {
  StatusDiff diff(before, now, at);
  while (diff.step(before.members.size() + now.members.size())) {
  }
  return diff.take_changes();
}

inline Result<ClusterStatus> merge_status(const std::vector<ClusterStatus>& parts, const std::vector<std::string>& names) {
  std::vector<const ClusterStatus*> pointers;
  for (const ClusterStatus& part : parts) pointers.push_back(&part);
  StatusMerge merge(std::move(pointers), names);
  while (merge.step(65536)) {
  }
  return merge.take();
}

}  // namespace rollcall::testing
