// Parses the environment variables TF_CONFIG and TPU_CONFIG.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json_dom.hpp"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {

/// Parsed TF_CONFIG. As in TensorFlow each key is checked only when it is read: a bad `cluster` does not affect task_type().
/// All errors are invalid_argument naming the key. For an unset variable the caller passes `{}`; a set but empty one is an error.
/// Source: tf.distribute.cluster_resolver.TFConfigClusterResolver.
class TfConfig {
 public:
  /// Errors: invalid_argument (not JSON, not an object), limit_exceeded.
  /// `variable` names the document in messages: Vertex AI's CLUSTER_SPEC has the same form.
  static Result<TfConfig> parse(std::string_view text, const char* variable = "TF_CONFIG");

  /// True also for a document without `cluster` whose cluster() is an error.
  bool has_cluster() const;
  /// Empty if there is no `cluster`. Errors also: another member has addresses, and there is no cluster. [facts: sparse-cluster]
  Result<ClusterSpec> cluster() const;
  /// What stands beside the cluster, and is not read, as TensorFlow does not read it; empty: nothing with addresses.
  std::string left_out() const;
  /// `task.type` as Python's str() writes it: 123456 is "123456", true is "True".
  Result<std::optional<std::string>> task_type() const;
  /// `task.index` as Python's int() reads it: "1" and " 1 " are 1, 1.7 is 1, true is 1; null, "1.7" and too large numbers are errors.
  Result<std::optional<int>> task_id() const;
  Result<std::optional<std::string>> rpc_layer() const;
  /// The value of `master`, without a prefix, if present.
  Result<std::optional<std::string>> session_master() const;

 private:
  TfConfig(JsonDocument document, const char* variable) : document_(std::move(document)), variable_(variable) {}
  Result<const boost::json::value*> task_value(std::string_view key) const;
  Result<std::optional<std::string>> text(std::string_view key) const;
  JsonDocument document_;
  const char* variable_;
};

/// Parsed TPU_CONFIG. As in upstream the caller treats a set but empty variable as unset.
class TpuConfig {
 public:
  TpuConfig() {}
  /// Errors: invalid_argument (not JSON, not an object, no tpu_node_name, a value that is not a text), limit_exceeded.
  static Result<TpuConfig> parse(std::string_view text);

  std::string tpu_node_name;
  std::optional<std::string> project;  ///< never empty
  std::optional<std::string> zone;     ///< never empty
};

}  // namespace rollcall
