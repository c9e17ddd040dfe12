#include "resolvers/kubernetes/chain/wire/node_facts.hpp"

#include <algorithm>

#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_taints = 100;

// Labels by which operators and clouds mark a machine [facts: k8s-node-signs].
constexpr std::string_view node_label_names[] = {
    "dgxc.nvidia.com/nvsentinel-state",
    "sagemaker.amazonaws.com/node-health-status",
    "sagemaker.amazonaws.com/deep-health-check-status",
    "cloud.google.com/scheduled-maintenance-time",
    "cloud.google.com/active-node-maintenance",
};

}  // namespace

std::string NodeTaint::text() const {
  std::string text = value.empty() ? key : key + "=" + value;
  if (!effect.empty()) text += ":" + effect;
  return text;
}

Result<NodeFacts> parse_node(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the node", json, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  NodeFacts node;
  node.name = text_at(root, "metadata", "name", max_name_text);
  if (node.name.empty()) return Failure(Errc::malformed_response, "the node: metadata.name is missing");
  if (const boost::json::value* const metadata = find(root, "metadata")) {
    for (const std::string_view label : node_label_names) {
      std::string value = text_at(*metadata, "labels", label, max_name_text);
      if (!value.empty()) node.labels.emplace(label, std::move(value));
    }
  }
  if (const boost::json::value* const spec = find(root, "spec")) {
    node.is_cordoned = is_true_at(*spec, "unschedulable");
    const boost::json::array* const taints = array_at(*spec, "taints");
    for (std::size_t i = 0; taints && i < std::min(taints->size(), max_taints); ++i) {
      NodeTaint& taint =
          node.taints.emplace_back(text_at((*taints)[i], "key"), text_at((*taints)[i], "value"), text_at((*taints)[i], "effect", 32));
      taint.since = time_at((*taints)[i], "timeAdded");
    }
  }
  node.conditions = conditions_at(root);
  if (const boost::json::value* const status = find(root, "status")) {
    node.capacity = resources_at(*status, "capacity");
    node.allocatable = resources_at(*status, "allocatable");
  }
  return node;
}

}  // namespace rollcall
