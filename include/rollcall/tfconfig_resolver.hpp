// The cluster that the TF_CONFIG variable describes. Source: tf.distribute.cluster_resolver.TFConfigClusterResolver.
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

class TfConfigOptions {
 public:
  TfConfigOptions() {}
  // clang-format off
  TfConfigOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  TfConfigOptions& task_id(int v) { task_id_ = v; return *this; }
  TfConfigOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  TfConfigOptions& environment(std::string v) { environment_ = std::move(v); return *this; }
  // clang-format on
  const std::optional<std::string>& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }
  const std::optional<std::string>& environment() const { return environment_; }

 private:
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;
  std::optional<std::string> environment_;
};

/// Reads TF_CONFIG from the Runtime's environment at every access; needs no network. A malformed value is invalid_argument
/// at the access that needs it (the property getters throw ResolveError then).
std::shared_ptr<ClusterResolver> make_tfconfig_resolver(Runtime runtime, TfConfigOptions options = {});

}  // namespace rollcall
