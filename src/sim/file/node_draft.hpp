// A node of the file as written, before it becomes one or many nodes of the model.
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

// What an entry of a timeline changes.
struct MomentDraft {
  Duration at{0};
  std::optional<std::string> state;
  std::optional<std::string> health;
  std::optional<std::string> health_description;
  std::optional<std::string> id;
  std::optional<EndpointsDraft> endpoints;
  std::optional<std::size_t> visible;  // how many endpoints are shown
  std::optional<json::array> symptoms;
  std::optional<json::object> upcoming_maintenance;
  std::optional<json::object> raw;
};

struct NodeDraft {
  NodeModel node;
  std::size_t count = 1;
  std::size_t first_number = 0;  // of its nodes; those before it have been made of other drafts
  MomentDraft base;
  std::vector<MomentDraft> timeline;
  std::optional<Duration> ready_after;
};

/// What every node has that does not say otherwise.
NodeDraft usual_node(const Model& model);
/// The keys of a node that a queued resource does not decide itself.
void read_slice_node(NodeDraft& draft, const FileValue& value);
void describe_slice_node(FileSections& out);
/// A list of entries of a timeline, added to the draft's.
void read_node_timeline(NodeDraft& draft, const FileValue& value);

/// Adds the draft's nodes to the model; what is wrong with it otherwise.
std::optional<std::string> expand_node(Model& model, const NodeDraft& draft);

}  // namespace rollcall::sim
