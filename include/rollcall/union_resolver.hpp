// Several clusters as one. Source: tf.distribute.cluster_resolver.UnionResolver.
#pragma once

#include <vector>

#include "rollcall/resolver.hpp"

namespace rollcall {

class UnionOptions {
 public:
  UnionOptions() {}
  // clang-format off
  UnionOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  UnionOptions& task_id(int v) { task_id_ = v; return *this; }
  UnionOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  // clang-format on
  const std::optional<std::string>& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }

 private:
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;
};

/// Calls all children at the same time, each once per call, and merges in their order (see merge()). The first failure cancels the others.
/// Properties and accelerator counts are the first child's, unless an override is set; as upstream has it, an override of 0 or "" does not
/// count as set. master() without a task is the first child's own; a task's address gets `rpc_layer`, else the union's own override, never
/// a child's. A union of none, or with a null child, fails at its first call with invalid_argument.
std::shared_ptr<ClusterResolver> make_union_resolver(Runtime runtime, std::vector<std::shared_ptr<ClusterResolver>> children,
                                                     UnionOptions options = {});

}  // namespace rollcall
