// A cluster that is given in the program. Source: tf.distribute.cluster_resolver.SimpleClusterResolver.
#pragma once

#include "rollcall/resolver.hpp"

namespace rollcall {

class SimpleOptions {
 public:
  SimpleOptions() {}
  explicit SimpleOptions(ClusterSpec spec) : cluster_spec_(std::move(spec)) {}
  // clang-format off
  SimpleOptions& cluster_spec(ClusterSpec v) { cluster_spec_ = std::move(v); return *this; }
  SimpleOptions& master(std::string v) { master_ = std::move(v); return *this; }
  SimpleOptions& task_type(std::string v) { task_type_ = std::move(v); return *this; }
  SimpleOptions& task_id(int v) { task_id_ = v; return *this; }
  SimpleOptions& environment(std::string v) { environment_ = std::move(v); return *this; }
  SimpleOptions& rpc_layer(std::string v) { rpc_layer_ = std::move(v); return *this; }
  SimpleOptions& num_accelerators(AcceleratorCounts v) { num_accelerators_ = std::move(v); return *this; }
  // clang-format on

  const ClusterSpec& cluster_spec() const { return cluster_spec_; }
  const std::string& master() const { return master_; }
  const std::optional<std::string>& task_type() const { return task_type_; }
  std::optional<int> task_id() const { return task_id_; }
  const std::string& environment() const { return environment_; }
  const std::optional<std::string>& rpc_layer() const { return rpc_layer_; }
  const AcceleratorCounts& num_accelerators() const { return num_accelerators_; }

 private:
  ClusterSpec cluster_spec_;
  std::string master_;
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::string environment_;
  std::optional<std::string> rpc_layer_;
  AcceleratorCounts num_accelerators_;
};

/// Answers without any I/O. `master(type, id)`: the task's address when both are given, else the options' master.
std::shared_ptr<ClusterResolver> make_simple_resolver(Runtime runtime, SimpleOptions options);

}  // namespace rollcall
