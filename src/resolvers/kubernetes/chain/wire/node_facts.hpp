// The fields of a Kubernetes Node that say whether a machine is well. Source: Kubernetes API v1, Node.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {

class NodeTaint {
 public:
  NodeTaint() {}
  NodeTaint(std::string of_key, std::string with_value, std::string how)
      : key(std::move(of_key)), value(std::move(with_value)), effect(std::move(how)) {}
  std::string key;
  std::string value;
  std::string effect;
  std::optional<WallTime> since;
  /// `key=value:NoSchedule`.
  std::string text() const;
  friend bool operator==(const NodeTaint&, const NodeTaint&) = default;
};

/// All texts are printable and bounded.
class NodeFacts {
 public:
  NodeFacts() {}
  std::string name;
  bool is_cordoned = false;  ///< spec.unschedulable
  std::vector<NodeTaint> taints;
  std::vector<KubeCondition> conditions;
  std::map<std::string, std::string, std::less<>> labels;  ///< those that node_label_names names
  std::map<std::string, std::string> capacity;
  std::map<std::string, std::string> allocatable;
  friend bool operator==(const NodeFacts&, const NodeFacts&) = default;
};

/// Errors: malformed_response, limit_exceeded.
Result<NodeFacts> parse_node(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall
