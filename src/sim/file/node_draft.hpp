// A node as written in the file, before it becomes one or several nodes of the model.
#pragma once

#include "sim/file/file_form.hpp"

namespace rollcall::sim {

struct EndpointsDraft {
  bool is_list = false;
  std::vector<NodeEndpoint> list;
  std::string base;
  std::string external_base;
  std::optional<std::size_t> count;
  int port = 8470;
};

// The changes of a timeline's entry.
struct MomentDraft {
  Duration at{0};
  std::optional<std::string> state;
  std::optional<std::string> health;
  std::optional<std::string> health_description;
  std::optional<std::string> id;
  std::optional<EndpointsDraft> endpoints;
  std::optional<std::size_t> visible;  // the number of endpoints that are shown
  std::optional<json::array> symptoms;
  std::optional<json::object> upcoming_maintenance;
  std::optional<json::object> raw;
};

struct NodeDraft {
  NodeModel node;
  std::size_t count = 1;
  std::size_t first_number = 0;  // the number of its first node; the ones before it come from other drafts
  MomentDraft base;
  std::vector<MomentDraft> timeline;
  std::optional<Duration> ready_after;
};

/// The default values of a node.
NodeDraft usual_node(const Model& model);
/// The keys of a slice's node, which are those that a queued resource does not set.
void read_slice_node(NodeDraft& draft, const FileValue& value);
void describe_slice_node(FileSections& out);
/// Appends a list of timeline entries to the draft's.
void read_node_timeline(NodeDraft& draft, const FileValue& value);

/// Adds the draft's nodes to the model. Returns its fault, if there is one.
std::optional<std::string> expand_node(Model& model, const NodeDraft& draft);

}  // namespace rollcall::sim
