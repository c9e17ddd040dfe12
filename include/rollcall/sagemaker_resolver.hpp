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

/// Reads SM_HOSTS and SM_CURRENT_HOST from the Runtime's environment at every access, or a SageMaker container's resourceconfig.json where
/// SM_HOSTS is not set; needs no network. The hosts, sorted as text (algo-10 before algo-2), are the tasks of job `worker`; the cluster is
/// empty when the current host is none of them. Of a job with instance groups the hosts are those of the groups of
/// SM_DISTRIBUTION_INSTANCE_GROUPS, a job for each if there are several, else of the own group, and an event `omitted` names the others.
/// num_accelerators() by CountFrom::accelerator_type is SM_NUM_GPUS or SM_NUM_NEURONS. master() of a cluster of one is "". Errors:
/// failed_precondition when a variable is not set, or the hosts of a group are not known, conflict when the current host is not in its
/// group, invalid_argument for a malformed variable or file (the property getters throw ResolveError then).
std::shared_ptr<ClusterResolver> make_sagemaker_resolver(Runtime runtime, SageMakerOptions options = {});

}  // namespace rollcall
