// The nodes of a simulation file: names by pattern, addresses by base, life cycles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rollcall/endpoint.hpp"
#include "sim/file/file.hpp"
#include "sim/file/node_draft.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 18> state_words = {
    "CREATING",  "READY",      "RESTARTING", "REIMAGING", "DELETING", "REPAIRING", "STOPPED",   "STOPPING",          "STARTING",
    "PREEMPTED", "TERMINATED", "HIDING",     "HIDDEN",    "UNHIDING", "UNKNOWN",   "SUSPENDED", "STATE_UNSPECIFIED", "DELETED"};
constexpr std::array<std::string_view, 7> healths = {
    "", "HEALTHY", "TIMEOUT", "UNHEALTHY_TENSORFLOW", "UNHEALTHY_MAINTENANCE", "DEPRECATED_UNHEALTHY", "HEALTH_UNSPECIFIED"};

constexpr std::array<FileKey<NodeEndpoint>, 3> endpoint_keys = {{
    member<&NodeEndpoint::ip>("ip"),
    whole<-2147483648, 2147483647, &NodeEndpoint::port>("port"),
    member<&NodeEndpoint::external_ip>("external_ip"),
}};

constexpr std::array<FileKey<EndpointsDraft>, 4> range_keys = {{
    member<&EndpointsDraft::base>("base"),
    whole<0, 65536, &EndpointsDraft::count>("count"),
    whole<0, 65535, &EndpointsDraft::port>("port"),
    member<&EndpointsDraft::external_base>("external_base"),
}};

void read_endpoint(EndpointsDraft& into, const FileValue& value) {
  NodeEndpoint endpoint;
  if (value.json().is_string()) {
    std::string text;
    value.read(text);
    const auto parsed = Endpoint::parse(text);
    if (!parsed) return value.complain("expected an address with or without a port, such as \"10.0.0.2\" or \"[fd20::1]:8470\"");
    endpoint.ip = parsed->host;
    endpoint.port = parsed->port.value_or(8470);
  } else {
    read_object<NodeEndpoint>(value, endpoint_keys, endpoint);
  }
  into.list.push_back(std::move(endpoint));
}

void read_endpoints(MomentDraft& into, const FileValue& value) {
  if (value.json().is_int64()) {
    into.visible = static_cast<std::size_t>(value.integer(0, 65536).value_or(0));
    return;
  }
  EndpointsDraft draft;
  if (value.json().is_array()) {
    draft.is_list = true;
    read_list(value, [&draft](const FileValue& one) { read_endpoint(draft, one); });
  } else {
    read_object<EndpointsDraft>(value, range_keys, draft);
    if (!value.has_problem() && !draft.base.empty() && !address_plus(draft.base, 0))
      value.complain(fmt::format("base: {} is no IP address", quoted(draft.base)));
    if (!value.has_problem() && !draft.external_base.empty() && !address_plus(draft.external_base, 0)) {
      value.complain(fmt::format("external_base: {} is no IP address", quoted(draft.external_base)));
    }
  }
  into.endpoints = std::move(draft);
  into.visible.reset();
}

void read_state(MomentDraft& into, const FileValue& value) { value.read_word(into.state, "state", state_words); }
void read_health(MomentDraft& into, const FileValue& value) { value.read_word(into.health, "health", healths); }

constexpr std::array<FileKey<MomentDraft>, 9> moment_keys = {{
    member<&MomentDraft::at>("at"),
    {"state", read_state},
    {"health", read_health},
    member<&MomentDraft::health_description>("health_description"),
    member<&MomentDraft::id>("id"),
    {"endpoints", read_endpoints},
    member<&MomentDraft::symptoms>("symptoms"),
    member<&MomentDraft::upcoming_maintenance>("upcoming_maintenance"),
    member<&MomentDraft::raw>("raw"),
}};

void read_moment(NodeDraft& node, const FileValue& value) {
  MomentDraft moment;
  read_object<MomentDraft>(value, moment_keys, moment);
  append_moment(node.timeline, std::move(moment), value);
}

}  // namespace

void read_node_timeline(NodeDraft& draft, const FileValue& value) {
  read_list(value, [&draft](const FileValue& one) { read_moment(draft, one); });
}

namespace {

constexpr std::array<FileKey<NodeDraft>, 32> node_keys = {{
    {"name", [](NodeDraft& draft, const FileValue& value) { value.read_id(draft.node.name, "name of a node", "{i}"); }},
    whole<1, max_nodes, &NodeDraft::count>("count"),
    {"project", [](NodeDraft& draft, const FileValue& value) { value.read_id(draft.node.project, "project"); }},
    {"zone", [](NodeDraft& draft, const FileValue& value) { value.read_id(draft.node.zone, "zone"); }},
    member<&NodeDraft::node, &NodeModel::accelerator_type>("accelerator_type"),
    member<&NodeDraft::node, &NodeModel::topology>("topology"),
    member<&NodeDraft::node, &NodeModel::runtime_version>("runtime_version"),
    member<&NodeDraft::node, &NodeModel::description>("description"),
    member<&NodeDraft::node, &NodeModel::network>("network"),
    member<&NodeDraft::node, &NodeModel::service_account>("service_account"),
    member<&NodeDraft::node, &NodeModel::cidr_block>("cidr_block"),
    member<&NodeDraft::node, &NodeModel::queued_resource>("queued_resource"),
    member<&NodeDraft::node, &NodeModel::is_multislice>("multislice"),
    member<&NodeDraft::node, &NodeModel::is_preemptible>("preemptible"),
    member<&NodeDraft::node, &NodeModel::is_spot>("spot"),
    member<&NodeDraft::node, &NodeModel::is_reserved>("reserved"),
    member<&NodeDraft::node, &NodeModel::is_legacy>("legacy_address"),
    member<&NodeDraft::node, &NodeModel::labels>("labels"),
    member<&NodeDraft::node, &NodeModel::metadata>("metadata"),
    member<&NodeDraft::node, &NodeModel::tags>("tags"),
    member<&NodeDraft::base, &MomentDraft::upcoming_maintenance>("upcoming_maintenance"),
    member<&NodeDraft::node, &NodeModel::create_time>("create_time"),
    {"state", [](NodeDraft& draft, const FileValue& value) { read_state(draft.base, value); }},
    {"health", [](NodeDraft& draft, const FileValue& value) { read_health(draft.base, value); }},
    member<&NodeDraft::base, &MomentDraft::health_description>("health_description"),
    member<&NodeDraft::base, &MomentDraft::id>("id"),
    {"endpoints", [](NodeDraft& draft, const FileValue& value) { read_endpoints(draft.base, value); }},
    member<&NodeDraft::base, &MomentDraft::symptoms>("symptoms"),
    member<&NodeDraft::base, &MomentDraft::raw>("raw"),
    member<&NodeDraft::ready_after>("ready_after"),
    {"timeline", read_node_timeline},
    {"workers", [](NodeDraft& draft, const FileValue& value) { read_node_workers(draft.node, value); }},
}};

std::vector<FileKey<NodeDraft>> slice_node_keys() {
  static constexpr std::array<std::string_view, 14> decided = {"name",        "count",    "project",     "zone",       "queued_resource",
                                                               "multislice",  "spot",     "preemptible", "reserved",   "legacy_address",
                                                               "create_time", "timeline", "state",       "ready_after"};
  std::vector<FileKey<NodeDraft>> out;
  for (const FileKey<NodeDraft>& key : node_keys) {
    if (std::find(decided.begin(), decided.end(), key.name) == decided.end()) out.push_back(key);
  }
  return out;
}

}  // namespace

void read_slice_node(NodeDraft& draft, const FileValue& value) {
  const std::vector<FileKey<NodeDraft>> keys = slice_node_keys();
  read_object<NodeDraft>(value, keys, draft);
}

NodeDraft usual_node(const Model& model) {
  NodeDraft draft;
  draft.node.project = model.project;
  draft.node.zone = model.zone;
  draft.node.accelerator_type = "v4-8";
  draft.node.runtime_version = "tpu-ubuntu2204-base";
  draft.node.service_account = "tpu-runner@" + model.project + ".iam.gserviceaccount.com";
  return draft;
}

void read_node(Model& model, const FileValue& value) {
  NodeDraft draft = usual_node(model);
  read_object<NodeDraft>(value, node_keys, draft);
  if (value.has_problem()) return;
  // A small file must not become a huge model: every node and every entry repeats what the draft says.
  constexpr std::size_t max_model_bytes = 256 * 1024 * 1024;
  if (json::serialize(value.json()).size() * draft.count * (draft.timeline.size() + 1) > max_model_bytes)
    return value.complain("count: this would be too large");
  if (auto wrong = expand_node(model, draft)) value.complain(*std::move(wrong));
}

FileSections node_sections() {
  return {{"node", names_of(node_keys)},
          {"slice_node", names_of(slice_node_keys())},
          {"moment", names_of(moment_keys)},
          {"endpoint", names_of(endpoint_keys)},
          {"endpoint_range", names_of(range_keys)}};
}

std::vector<std::string_view> node_states() { return {state_words.begin(), state_words.end()}; }
std::vector<std::string_view> node_healths() { return {healths.begin(), healths.end()}; }

}  // namespace rollcall::sim
