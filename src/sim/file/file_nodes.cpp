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

constexpr auto endpoint_form =
    file_form<NodeEndpoint>("endpoint", member<&NodeEndpoint::ip>("ip"), whole<&NodeEndpoint::port>("port", -2147483648, 2147483647),
                            member<&NodeEndpoint::external_ip>("external_ip"));

constexpr auto range_form =
    file_form<EndpointsDraft>("endpoint_range", member<&EndpointsDraft::base>("base"), whole<&EndpointsDraft::count>("count", 0, 65536),
                              whole<&EndpointsDraft::port>("port", 0, 65535), member<&EndpointsDraft::external_base>("external_base"));

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
    read_object(value, endpoint_form, endpoint);
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
    read_object(value, range_form, draft);
    for (const auto& [key, base] : {std::pair("base", &draft.base), std::pair("external_base", &draft.external_base)}) {
      if (!base->empty() && !address_plus(*base, 0)) value.complain(fmt::format("{}: {} is no IP address", key, quoted(*base)));
    }
  }
  into.endpoints = std::move(draft);
  into.visible.reset();
}

constexpr auto moment_form =
    file_form<MomentDraft>("moment", member<&MomentDraft::at>("at"), word<&MomentDraft::state>("state", "state", state_words),
                           word<&MomentDraft::health>("health", "health", healths),
                           member<&MomentDraft::health_description>("health_description"), member<&MomentDraft::id>("id"),
                           by<read_endpoints, describe<endpoint_form, range_form>>("endpoints"), member<&MomentDraft::symptoms>("symptoms"),
                           member<&MomentDraft::upcoming_maintenance>("upcoming_maintenance"), member<&MomentDraft::raw>("raw"));

void read_moment(NodeDraft& node, const FileValue& value) {
  MomentDraft moment;
  read_object(value, moment_form, moment);
  append_moment(node.timeline, std::move(moment), value);
}

constexpr FileKey<NodeDraft> timeline_key = each<read_moment, describe<moment_form>>("timeline");

void read_base_endpoints(NodeDraft& draft, const FileValue& value) { read_endpoints(draft.base, value); }
void read_workers(NodeDraft& draft, const FileValue& value) { read_node_workers(draft.node, value); }

constexpr FileForm<NodeDraft, 32> node_form = {
    "node",  // the slice of a queued resource is a "slice_node", with the same keys except those that the request sets
    {{
        id<&NodeDraft::node, &NodeModel::name>("name", "name of a node", "{i}"),
        whole<&NodeDraft::count>("count", 1, max_nodes),
        id<&NodeDraft::node, &NodeModel::project>("project", "project"),
        id<&NodeDraft::node, &NodeModel::zone>("zone", "zone"),
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
        word<&NodeDraft::base, &MomentDraft::state>("state", "state", state_words),
        word<&NodeDraft::base, &MomentDraft::health>("health", "health", healths),
        member<&NodeDraft::base, &MomentDraft::health_description>("health_description"),
        member<&NodeDraft::base, &MomentDraft::id>("id"),
        by<read_base_endpoints>("endpoints"),
        member<&NodeDraft::base, &MomentDraft::symptoms>("symptoms"),
        member<&NodeDraft::base, &MomentDraft::raw>("raw"),
        member<&NodeDraft::ready_after>("ready_after"),
        timeline_key,
        by<read_workers, describe_node_workers>("workers"),
    }}};

// The keys that a queued resource sets.
constexpr std::array<std::string_view, 14> decided = {"name",        "count",    "project",     "zone",       "queued_resource",
                                                      "multislice",  "spot",     "preemptible", "reserved",   "legacy_address",
                                                      "create_time", "timeline", "state",       "ready_after"};

constexpr auto slice_node_form = [] {
  FileForm<NodeDraft, node_form.keys.size() - decided.size()> out{"slice_node", {}};
  std::copy_if(node_form.keys.begin(), node_form.keys.end(), out.keys.begin(),
               [](const auto& key) { return std::find(decided.begin(), decided.end(), key.name) == decided.end(); });
  return out;
}();

}  // namespace

void read_node_timeline(NodeDraft& draft, const FileValue& value) { timeline_key.read(draft, value, timeline_key); }

void read_slice_node(NodeDraft& draft, const FileValue& value) { read_object(value, slice_node_form, draft); }

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
  read_object(value, node_form, draft);
  value.complain_if_huge("count", draft.count * (draft.timeline.size() + 1));
  if (value.has_problem()) return;
  if (auto wrong = expand_node(model, draft)) value.complain(*std::move(wrong));
}

void describe_node(FileSections& out) { describe<node_form>(out); }
void describe_slice_node(FileSections& out) { describe<slice_node_form>(out); }

}  // namespace rollcall::sim
