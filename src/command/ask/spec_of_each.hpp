// Results of targets that are resolved one by one, and the cluster that they form. Pure.
#pragma once

#include <vector>

#include "command/arguments/targets.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::command {

class SpecOfEach {
 public:
  SpecOfEach() {}
  ClusterSpec spec;                   ///< the resolved targets as one cluster
  std::vector<TargetFailure> failed;  ///< in the order of the targets; last, without a target, the failure to form one cluster
  std::size_t resolved = 0;           ///< number of resolved targets
  bool is_cluster = false;            ///< at least one target was resolved, and they form one cluster
};

/// `answers`: one for each target.
SpecOfEach put_answers_together(const std::vector<ListedTarget>& targets, std::vector<Result<ClusterSpec>> answers);

}  // namespace rollcall::command
