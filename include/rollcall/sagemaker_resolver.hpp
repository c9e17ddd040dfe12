// The hosts of a SageMaker training job. Source: tf.distribute.cluster_resolver.SageMakerClusterResolver.
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

class SageMakerOptions {
 public:
  SageMakerOptions() {}
  // clang-format off
  /// The port of every host.
  SageMakerOptions& port(std::uint16_t v) { port_ = v; return *this; }
  SageMakerOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  SageMakerOptions& task_id(int v) { task_id_ = v; return *this; }
  SageMakerOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  SageMakerOptions& environment(std::string v) { environment_ = std::move(v); return *this; }
  // clang-format on
  std::uint16_t port() const { return port_; }
  const std::optional<std::string>& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }
  const std::optional<std::string>& environment() const { return environment_; }

 private:
  std::uint16_t port_ = 2223;
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;
  std::optional<std::string> environment_;
};

/// Reads SM_HOSTS and SM_CURRENT_HOST from the Runtime's environment at every access; needs no network. The hosts, sorted as text
/// (algo-10 before algo-2), are the tasks of job `worker`; the cluster is empty when the current host is none of them. master() of a
/// cluster of one is "". Errors: failed_precondition when a variable is not set, invalid_argument for a malformed one (the property getters
/// throw ResolveError then).
std::shared_ptr<ClusterResolver> make_sagemaker_resolver(Runtime runtime, SageMakerOptions options = {});

}  // namespace rollcall
