// The places of a workload's pods among the tasks of a job. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resolvers/kubernetes/rules/found_pod.hpp"

namespace rollcall {

/// Pods of one template: `parts` times `members` places from `base` on.
class PodPlaceRun {
 public:
  PodPlaceRun() {}
  std::string role;  ///< as PodPosition::role; empty: any
  int base = 0;
  int parts = 1;
  int members = 1;
  int first = 0;  ///< the index of the first member of a part
  bool is_one_part = false;  ///< the part that a pod belongs to does not matter: it is this one
};

class PodPlaces {
 public:
  PodPlaces() {}
  explicit PodPlaces(std::vector<PodPlaceRun> runs) : runs_(std::move(runs)) {}
  /// Absent: the pod has no index, or one that is none of the places.
  std::optional<int> of(const FoundPod& pod) const;

 private:
  std::vector<PodPlaceRun> runs_;
};

}  // namespace rollcall
