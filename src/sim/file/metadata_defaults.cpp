// The metadata tree of an ordinary VM in the file's project and zone, and the additional values of a TPU's worker.
#include <fmt/format.h>

#include "rollcall/accelerator.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {

void set_constant(MetadataTree& tree, std::string path, std::string value, MetadataKind kind) {
  tree.insert_or_assign(std::move(path), always(MetadataValue{kind, std::move(value)}));
}

namespace {

void add_network(MetadataTree& tree, const Model& model) {
  const std::string nic = "instance/network-interfaces/0/";
  set_constant(tree, nic + "ip", "10.128.0.2");
  set_constant(tree, nic + "mac", "42:01:0a:80:00:02");
  set_constant(tree, nic + "mtu", "8896", MetadataKind::number);
  set_constant(tree, nic + "network", fmt::format("projects/{}/networks/default", model.project_number));
  set_constant(tree, nic + "gateway", "10.128.0.1");
  set_constant(tree, nic + "subnetmask", "255.255.240.0");
  set_constant(tree, nic + "dns-servers", "169.254.169.254", MetadataKind::list);
  set_constant(tree, nic + "access-configs/", "", MetadataKind::empty_array);
  set_constant(tree, nic + "forwarded-ips/", "", MetadataKind::empty_array);
  set_constant(tree, nic + "ip-aliases/", "", MetadataKind::empty_array);
  set_constant(tree, nic + "target-instance-ips/", "", MetadataKind::empty_array);
}

void add_service_account(MetadataTree& tree, const std::string& name, const std::string& email) {
  const std::string account = "instance/service-accounts/" + name + "/";
  set_constant(tree, account + "aliases", "default", MetadataKind::list);
  set_constant(tree, account + "email", email);
  set_constant(tree, account + "scopes", "https://www.googleapis.com/auth/cloud-platform", MetadataKind::list);
  set_constant(tree, account + "token", "", MetadataKind::token);
  set_constant(tree, account + "identity", "", MetadataKind::identity);
}

}  // namespace

MetadataTree default_metadata(const Model& model) {
  MetadataTree tree;
  set_constant(tree, "project/project-id", model.project);
  set_constant(tree, "project/numeric-project-id", model.project_number, MetadataKind::number);
  set_constant(tree, "project/attributes/", "", MetadataKind::empty_object);
  set_constant(tree, "universe/universe-domain", "googleapis.com");
  set_constant(tree, "oslogin/", "", MetadataKind::empty_object);
  set_constant(tree, "instance/attributes/", "", MetadataKind::empty_object);
  set_constant(tree, "instance/cpu-platform", "AMD Rome");
  set_constant(tree, "instance/description", "");
  set_constant(tree, "instance/guest-attributes/", "", MetadataKind::empty_object);
  set_constant(tree, "instance/hostname", fmt::format("launcher.{}.c.{}.internal", model.zone, model.project));
  set_constant(tree, "instance/id", "7023846502938475612", MetadataKind::number);
  set_constant(tree, "instance/image", "projects/example-images/global/images/ubuntu-2204");
  set_constant(tree, "instance/machine-type", fmt::format("projects/{}/machineTypes/n2-standard-8", model.project_number));
  set_constant(tree, "instance/maintenance-event", "NONE");
  set_constant(tree, "instance/name", "launcher");
  set_constant(tree, "instance/preempted", "FALSE");
  set_constant(tree, "instance/remaining-cpu-time", "-1", MetadataKind::number);
  set_constant(tree, "instance/scheduling/automatic-restart", "TRUE");
  set_constant(tree, "instance/scheduling/on-host-maintenance", "MIGRATE");
  set_constant(tree, "instance/scheduling/preemptible", "FALSE");
  set_constant(tree, "instance/tags", "[]", MetadataKind::json);
  set_constant(tree, "instance/upcoming-maintenance", "NONE");
  set_constant(tree, "instance/virtual-clock/drift-token", "0");
  set_constant(tree, "instance/zone", fmt::format("projects/{}/zones/{}", model.project_number, model.zone));
  add_network(tree, model);
  const std::string email = fmt::format("tpu-runner@{}.iam.gserviceaccount.com", model.project);
  add_service_account(tree, "default", email);
  add_service_account(tree, email, email);
  return tree;
}

namespace {

constexpr std::string_view maintenance_health = "UNHEALTHY_MAINTENANCE";

void add_moment(std::vector<MetadataMoment>& timeline, Duration at, MetadataKind kind, std::string text) {
  if (!timeline.empty() && timeline.back().value->text == text) return;
  MetadataMoment& moment = timeline.emplace_back();
  moment.at = timeline.size() == 1 ? Duration(0) : at;
  moment.value = MetadataValue{kind, std::move(text)};
}

// The metadata server of a node's workers reports the same events as the API, at the same times.
void follow_node(MetadataTree& tree, const NodeModel& node) {
  std::vector<MetadataMoment> preempted;
  std::vector<MetadataMoment> event;
  std::vector<MetadataMoment> upcoming;
  bool is_preempted = false;
  for (const NodeMoment& moment : node.timeline) {
    const bool is_gone = moment.state == "DELETED" || moment.state == "DELETING" || moment.state == "TERMINATED";
    is_preempted = moment.state == "PREEMPTED" || (is_preempted && is_gone);
    const bool is_maintained = moment.health == maintenance_health && !is_preempted;
    add_moment(preempted, moment.at, MetadataKind::text, is_preempted ? "TRUE" : "FALSE");
    add_moment(event, moment.at, MetadataKind::text, is_maintained ? "TERMINATE_ON_HOST_MAINTENANCE" : "NONE");
    if (moment.upcoming_maintenance.empty()) {
      add_moment(upcoming, moment.at, MetadataKind::text, "NONE");
    } else {
      add_moment(upcoming, moment.at, MetadataKind::json, json::serialize(moment.upcoming_maintenance));
    }
  }
  tree.insert_or_assign("instance/preempted", std::move(preempted));
  tree.insert_or_assign("instance/maintenance-event", std::move(event));
  tree.insert_or_assign("instance/upcoming-maintenance", std::move(upcoming));
  set_constant(tree, "instance/scheduling/preemptible", node.is_preemptible || node.is_spot ? "TRUE" : "FALSE");
}

// The number of slices of the node's request, and the address of the first worker of slice 0.
std::pair<std::size_t, std::string> slices_of(const Model& model, const NodeModel& node) {
  std::pair<std::size_t, std::string> out;
  for (const NodeModel& other : model.nodes) {
    if (other.queued_resource != node.queued_resource) continue;
    ++out.first;
    const std::vector<NodeEndpoint>& endpoints = other.timeline.back().endpoints;
    if (other.slice == 0 && !endpoints.empty()) out.second = endpoints.front().ip;
  }
  return out;
}

}  // namespace

void add_tpu_worker_metadata(MetadataTree& tree, const Model& model, const NodeModel& node, std::size_t index) {
  const NodeMoment& last = node.timeline.back();
  std::string endpoints;
  for (std::size_t i = 0; i < last.endpoints.size(); ++i) {
    endpoints += fmt::format("{}{}-w-{}:{}:{}", i == 0 ? "" : ",", node.name, i, 12345 + i, last.endpoints[i].ip);
  }
  const std::string worker = fmt::format("{}-w-{}", node.name, index);
  follow_node(tree, node);
  set_constant(tree, "instance/name", worker);
  set_constant(tree, "instance/hostname", fmt::format("{}.{}.c.{}.internal", worker, node.zone, node.project));
  set_constant(tree, "instance/zone", fmt::format("projects/{}/zones/{}", model.project_number, node.zone));
  if (index < last.endpoints.size()) set_constant(tree, "instance/network-interfaces/0/ip", last.endpoints[index].ip);
  set_constant(tree, "instance/attributes/accelerator-type", node.accelerator_type);
  set_constant(tree, "instance/attributes/agent-worker-number", std::to_string(index));
  set_constant(tree, "instance/attributes/instance-id", node.name);
  set_constant(tree, "instance/attributes/worker-network-endpoints", endpoints);

  std::string env = fmt::format("ACCELERATOR_TYPE: '{}'\n", node.accelerator_type);
  const auto line = [&env](std::string_view key, std::string_view value) { env += fmt::format("{}: '{}'\n", key, value); };
  auto type = AcceleratorType::from_config(node.config_type, node.topology);
  if (!type) type = AcceleratorType::parse(node.accelerator_type);
  if (const auto as_listed = type ? type->on_hosts(static_cast<int>(last.endpoints.size())) : type) type = as_listed;
  const bool has_type = type.has_value();
  if (has_type) line("CHIPS_PER_HOST_BOUNDS", type->chips_per_host_bounds().to_bounds());
  line("CONSUMER_PROJECT_ID", node.project);
  line("CONSUMER_PROJECT_NUMBER", model.project_number);
  if (has_type) line("HOST_BOUNDS", type->host_bounds().to_bounds());
  if (node.is_multislice && !node.queued_resource.empty()) {
    const auto [slices, coordinator] = slices_of(model, node);
    line("MEGASCALE_COORDINATOR_ADDRESS", coordinator);
    line("MEGASCALE_NUM_SLICES", std::to_string(slices));
    line("MEGASCALE_SLICE_ID", std::to_string(node.slice));
  }
  line("NODE_ID", node.name);
  line("PREEMPTIBLE", node.is_preemptible || node.is_spot ? "true" : "false");
  line("RUNTIME_VERSION", node.runtime_version);
  line("SERVICE_NAME", "tpu.googleapis.com");
  if (!node.topology.empty()) line("TOPOLOGY", node.topology);
  line("TYPE", node.config_type);
  line("UID", last.id);
  line("WORKER_ID", std::to_string(index));
  env += fmt::format("ZONE: '{}'", node.zone);
  set_constant(tree, "instance/attributes/tpu-env", env);
}

}  // namespace rollcall::sim
