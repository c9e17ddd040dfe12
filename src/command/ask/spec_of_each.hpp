// Many targets asked each on its own, and what comes of it. Pure.
#pragma once

#include <vector>

#include "command/arguments/targets.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::command {

class SpecOfEach {
 public:
  SpecOfEach() {}
  ClusterSpec spec;                   ///< of those that have an answer, as one
  std::vector<TargetFailure> failed;  ///< in the order of the targets; last, without a target, that the answers are no one cluster
  std::size_t resolved = 0;           ///< targets that have an answer
  bool is_cluster = false;            ///< at least one has, and they are one cluster
};

/// As many answers as targets.
SpecOfEach put_answers_together(const std::vector<ListedTarget>& targets, std::vector<Result<ClusterSpec>> answers);

}  // namespace rollcall::command
