#include "command/ask/spec_of_each.hpp"

namespace rollcall::command {

SpecOfEach put_answers_together(const std::vector<ListedTarget>& targets, std::vector<Result<ClusterSpec>> answers) {
  SpecOfEach each;
  std::vector<ClusterSpec> specs;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (answers[i]) {
      specs.push_back(std::move(*answers[i]));
    } else {
      each.failed.emplace_back(targets[i].text, answers[i].error());
    }
  }
  each.resolved = specs.size();
  Result<ClusterSpec> merged = merge(specs);
  each.is_cluster = merged && !specs.empty();
  if (merged) {
    each.spec = std::move(*merged);
  } else {  // each was resolved, but they do not form one cluster
    each.failed.emplace_back(std::string(), merged.error());
  }
  return each;
}

}  // namespace rollcall::command
