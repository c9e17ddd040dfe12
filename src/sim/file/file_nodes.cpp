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

constexpr std::array<std::string_view, 18> states = {"CREATING", "READY",    "RESTARTING", "REIMAGING", "DELETING",          "REPAIRING",
                                                     "STOPPED",  "STOPPING", "STARTING",   "PREEMPTED", "TERMINATED",        "HIDING",
                                                     "HIDDEN",   "UNHIDING", "UNKNOWN",    "SUSPENDED", "STATE_UNSPECIFIED", "DELETED"};
constexpr std::array<std::string_view, 7> healths = {
    "", "HEALTHY", "TIMEOUT", "UNHEALTHY_TENSORFLOW", "UNHEALTHY_MAINTENANCE", "DEPRECATED_UNHEALTHY", "HEALTH_UNSPECIFIED"};

constexpr std::array<FileKey<NodeEndpoint>, 3> endpoint_keys = {{
    {"ip", [](NodeEndpoint& endpoint, const FileValue& value) { value.read(endpoint.ip); }},
    {"port", [](NodeEndpoint& endpoint,
                const FileValue& value) { endpoint.port = static_cast<int>(value.integer(-2147483648, 2147483647).value_or(0)); }},
    {"external_ip", [](NodeEndpoint& endpoint, const FileValue& value) { value.read(endpoint.external_ip); }},
}};

constexpr std::array<FileKey<EndpointsDraft>, 4> range_keys = {{
    {"base", [](EndpointsDraft& range, const FileValue& value) { value.read(range.base); }},
    {"count",
     [](EndpointsDraft& range, const FileValue& value) { range.count = static_cast<std::size_t>(value.integer(0, 65536).value_or(0)); }},
    {"port", [](EndpointsDraft& range, const FileValue& value) { range.port = static_cast<int>(value.integer(0, 65535).value_or(0)); }},
    {"external_base", [](EndpointsDraft& range, const FileValue& value) { value.read(range.external_base); }},
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

void read_state(MomentDraft& into, const FileValue& value) {
  std::string word;
  value.read_word(word, "state", states);
  if (!value.has_problem()) into.state = std::move(word);
}

void read_health(MomentDraft& into, const FileValue& value) {
  std::string word;
  value.read_word(word, "health", healths);
  if (!value.has_problem()) into.health = std::move(word);
}

constexpr std::array<FileKey<MomentDraft>, 9> moment_keys = {{
    {"at", [](MomentDraft& moment, const FileValue& value) { value.read(moment.at); }},
    {"state", read_state},
    {"health", read_health},
    {"health_description", [](MomentDraft& moment, const FileValue& value) { read_optional(moment.health_description, value); }},
    {"id", [](MomentDraft& moment, const FileValue& value) { read_optional(moment.id, value); }},
    {"endpoints", read_endpoints},
    {"symptoms", [](MomentDraft& moment, const FileValue& value) { read_optional(moment.symptoms, value); }},
    {"upcoming_maintenance", [](MomentDraft& moment, const FileValue& value) { read_optional(moment.upcoming_maintenance, value); }},
    {"raw", [](MomentDraft& moment, const FileValue& value) { read_optional(moment.raw, value); }},
}};

void read_moment(NodeDraft& node, const FileValue& value) {
  MomentDraft moment;
  read_object<MomentDraft>(value, moment_keys, moment);
  if (!value.has_problem() && !node.timeline.empty() && moment.at <= node.timeline.back().at) {
    return value.complain("at: each entry must be later than the one before");
  }
  node.timeline.push_back(std::move(moment));
}

}  // namespace

void read_node_timeline(NodeDraft& draft, const FileValue& value) {
  read_list(value, [&draft](const FileValue& one) { read_moment(draft, one); });
}

namespace {

constexpr std::array<FileKey<NodeDraft>, 32> node_keys = {{
    {"name", [](NodeDraft& draft, const FileValue& value) { value.read_id(draft.node.name, "name of a node", "{i}"); }},
    {"count",
     [](NodeDraft& draft, const FileValue& value) { draft.count = static_cast<std::size_t>(value.integer(1, max_nodes).value_or(1)); }},
    {"project", [](NodeDraft& draft, const FileValue& value) { value.read_id(draft.node.project, "project"); }},
    {"zone", [](NodeDraft& draft, const FileValue& value) { value.read_id(draft.node.zone, "zone"); }},
    {"accelerator_type", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.accelerator_type); }},
    {"topology", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.topology); }},
    {"runtime_version", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.runtime_version); }},
    {"description", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.description); }},
    {"network", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.network); }},
    {"service_account", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.service_account); }},
    {"cidr_block", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.cidr_block); }},
    {"queued_resource", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.queued_resource); }},
    {"multislice", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.is_multislice); }},
    {"preemptible", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.is_preemptible); }},
    {"spot", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.is_spot); }},
    {"reserved", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.is_reserved); }},
    {"legacy_address", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.is_legacy); }},
    {"labels", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.labels); }},
    {"metadata", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.metadata); }},
    {"tags", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.tags); }},
    {"upcoming_maintenance", [](NodeDraft& draft, const FileValue& value) { read_optional(draft.base.upcoming_maintenance, value); }},
    {"create_time", [](NodeDraft& draft, const FileValue& value) { value.read(draft.node.create_time); }},
    {"state", [](NodeDraft& draft, const FileValue& value) { read_state(draft.base, value); }},
    {"health", [](NodeDraft& draft, const FileValue& value) { read_health(draft.base, value); }},
    {"health_description", [](NodeDraft& draft, const FileValue& value) { read_optional(draft.base.health_description, value); }},
    {"id", [](NodeDraft& draft, const FileValue& value) { read_optional(draft.base.id, value); }},
    {"endpoints", [](NodeDraft& draft, const FileValue& value) { read_endpoints(draft.base, value); }},
    {"symptoms", [](NodeDraft& draft, const FileValue& value) { read_optional(draft.base.symptoms, value); }},
    {"raw", [](NodeDraft& draft, const FileValue& value) { read_optional(draft.base.raw, value); }},
    {"ready_after", [](NodeDraft& draft, const FileValue& value) { read_optional(draft.ready_after, value); }},
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

std::vector<std::pair<std::string_view, KeyNames>> node_sections() {
  std::vector<std::pair<std::string_view, KeyNames>> out;
  out.emplace_back("node", names_of(node_keys));
  out.emplace_back("slice_node", names_of(slice_node_keys()));
  out.emplace_back("moment", names_of(moment_keys));
  out.emplace_back("endpoint", names_of(endpoint_keys));
  out.emplace_back("endpoint_range", names_of(range_keys));
  return out;
}

std::vector<std::string_view> node_states() { return {states.begin(), states.end()}; }
std::vector<std::string_view> node_healths() { return {healths.begin(), healths.end()}; }

}  // namespace rollcall::sim
