// The section `compute` of a simulation file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 13> status_words = {"RUNNING",   "PENDING",        "PROVISIONING", "STAGING",    "PENDING_STOP",
                                                           "STOPPING",  "STOPPED",        "TERMINATED",   "SUSPENDING", "SUSPENDED",
                                                           "REPAIRING", "DEPROVISIONING", "DELETED"};
constexpr std::size_t max_instances = 100'000;

struct InstanceDraft {
  ComputeInstance instance;
  ComputeInterface first;
  std::vector<ComputeInterface> others;
  std::size_t count = 1;
  ComputeMoment base;
  std::vector<ComputeMoment> timeline;
  std::optional<Duration> running_after;
};

void read_instance_status(ComputeMoment& moment, const FileValue& value) { value.read_word(moment.status, "status", status_words); }

void read_instance_address(std::string& into, const FileValue& value) {
  value.read(into);
  if (!value.has_problem() && !address_plus(into, 0)) value.complain(fmt::format("{} is no IP address", quoted(into)));
}

constexpr std::array<FileKey<ComputeInterface>, 4> interface_keys = {{
    {"ip", [](ComputeInterface& nic, const FileValue& value) { read_instance_address(nic.ip, value); }},
    {"ipv6", [](ComputeInterface& nic, const FileValue& value) { read_instance_address(nic.ipv6, value); }},
    {"external_ip", [](ComputeInterface& nic, const FileValue& value) { read_instance_address(nic.external_ip, value); }},
    {"network", [](ComputeInterface& nic, const FileValue& value) { value.read_id(nic.network, "network"); }},
}};

constexpr std::array<FileKey<ComputeMoment>, 3> instance_moment_keys = {{
    member<&ComputeMoment::at>("at"),
    {"status", read_instance_status},
    member<&ComputeMoment::raw>("raw"),
}};

void read_instance_moment(InstanceDraft& draft, const FileValue& value) {
  ComputeMoment moment = draft.timeline.empty() ? draft.base : draft.timeline.back();
  moment.at = Duration(0);
  read_object<ComputeMoment>(value, instance_moment_keys, moment);
  append_moment(draft.timeline, std::move(moment), value);
}

void read_interface(InstanceDraft& draft, const FileValue& value) {
  if (draft.others.size() >= 15) return value.complain("an instance has at most 16 interfaces");
  read_object<ComputeInterface>(value, interface_keys, draft.others.emplace_back());
}

constexpr std::array<FileKey<InstanceDraft>, 14> instance_keys = {{
    {"name", [](InstanceDraft& draft, const FileValue& value) { value.read_id(draft.instance.name, "name of an instance", "{i}"); }},
    whole<1, max_instances, &InstanceDraft::count>("count"),
    {"zone", [](InstanceDraft& draft, const FileValue& value) { value.read_id(draft.instance.zone, "zone"); }},
    {"machine_type", [](InstanceDraft& draft, const FileValue& value) { value.read_id(draft.instance.machine_type, "machine type"); }},
    member<&InstanceDraft::instance, &ComputeInstance::labels>("labels"),
    {"ip", [](InstanceDraft& draft, const FileValue& value) { read_instance_address(draft.first.ip, value); }},
    {"ipv6", [](InstanceDraft& draft, const FileValue& value) { read_instance_address(draft.first.ipv6, value); }},
    {"external_ip", [](InstanceDraft& draft, const FileValue& value) { read_instance_address(draft.first.external_ip, value); }},
    {"network", [](InstanceDraft& draft, const FileValue& value) { value.read_id(draft.first.network, "network"); }},
    each<read_interface>("interfaces"),
    {"status", [](InstanceDraft& draft, const FileValue& value) { read_instance_status(draft.base, value); }},
    member<&InstanceDraft::base, &ComputeMoment::raw>("raw"),
    member<&InstanceDraft::running_after>("running_after"),
    each<read_instance_moment>("timeline"),
}};

// The draft's interface of its `i`-th instance. What is wrong, or nothing.
std::optional<std::string> count_addresses_up(ComputeInterface& nic, std::size_t i) {
  for (std::string* const address : {&nic.ip, &nic.ipv6, &nic.external_ip}) {
    if (address->empty()) continue;
    std::optional<std::string> moved = address_plus(*address, i);
    if (!moved) return fmt::format("there are no {} addresses from {} on", i + 1, quoted(*address));
    *address = *std::move(moved);
  }
  return std::nullopt;
}

std::optional<std::string> expand_instances(ComputeModel& compute, InstanceDraft& draft) {
  if (draft.instance.name.empty()) return "an instance needs a name";
  if (draft.count > 1 && draft.instance.name.find("{i}") == std::string::npos) return "count: with a count the name needs a {i}";
  if (compute.instances.size() + draft.count > max_instances) return fmt::format("there may be at most {} instances", max_instances);
  if (draft.running_after && !draft.timeline.empty()) return "running_after: give it or a timeline";
  if (draft.first.ip.empty()) draft.first.ip = *address_plus("10.132.0.2", compute.instances.size());
  if (draft.running_after) {
    draft.timeline.push_back(draft.base);
    draft.timeline.back().status = "PROVISIONING";
    draft.timeline.push_back(draft.base);
    draft.timeline.back().at = *draft.running_after;
    if (*draft.running_after <= Duration(0)) draft.timeline.erase(draft.timeline.begin());
  }
  if (draft.timeline.empty()) draft.timeline.push_back(draft.base);
  for (std::size_t i = 0; i < draft.count; ++i) {
    ComputeInstance instance = draft.instance;
    if (const std::size_t at = instance.name.find("{i}"); at != std::string::npos) instance.name.replace(at, 3, std::to_string(i));
    instance.timeline = draft.timeline;
    instance.interfaces.push_back(draft.first);
    instance.interfaces.insert(instance.interfaces.end(), draft.others.begin(), draft.others.end());
    for (ComputeInterface& nic : instance.interfaces) {
      if (auto wrong = count_addresses_up(nic, i)) return wrong;
    }
    instance.number = compute.instances.size();
    compute.instances.push_back(std::move(instance));
  }
  return std::nullopt;
}

void read_instance(Model& model, const FileValue& value) {
  InstanceDraft draft;
  draft.instance.zone = model.zone;
  read_object<InstanceDraft>(value, instance_keys, draft);
  if (value.has_problem()) return;
  // A small file must not become a huge model: every instance and every entry repeats what the draft says.
  constexpr std::size_t max_compute_bytes = 256 * 1024 * 1024;
  if (json::serialize(value.json()).size() * draft.count * (draft.timeline.size() + 1) > max_compute_bytes)
    return value.complain("count: this would be too large");
  if (auto wrong = expand_instances(model.compute, draft)) value.complain(*std::move(wrong));
}

void read_named_ports(ComputeGroup& group, const FileValue& value) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    if (value.has_problem()) return;
    const auto port = value.child(entry.key(), entry.value()).integer(1, 65535);
    group.named_ports.emplace_back(std::string(entry.key()), static_cast<int>(port.value_or(1)));
  }
}

constexpr std::array<FileKey<ComputeGroup>, 6> group_keys = {{
    {"name", [](ComputeGroup& group, const FileValue& value) { value.read_id(group.name, "name of a group"); }},
    {"zone", [](ComputeGroup& group, const FileValue& value) { value.read_id(group.zone, "zone"); }},
    {"region", [](ComputeGroup& group, const FileValue& value) { value.read_id(group.region, "region"); }},
    member<&ComputeGroup::instances>("instances"),
    {"named_ports", read_named_ports},
    member<&ComputeGroup::warning>("warning"),
}};

void read_group(Model& model, const FileValue& value) {
  ComputeGroup group;
  group.instances = {"*"};
  read_object<ComputeGroup>(value, group_keys, group);
  if (value.has_problem()) return;
  if (group.name.empty()) return value.complain("a group needs a name");
  if (!group.zone.empty() && !group.region.empty()) return value.complain("region: a group has a zone or a region");
  if (group.zone.empty() && group.region.empty()) group.zone = model.zone;
  const bool is_known = std::any_of(model.compute.groups.begin(), model.compute.groups.end(),
                                    [&](const ComputeGroup& g) { return g.name == group.name && g.place() == group.place(); });
  if (is_known) return value.complain(fmt::format("there are two groups {} in {}", quoted(group.name), group.place()));
  model.compute.groups.push_back(std::move(group));
}

constexpr std::array<FileKey<Model>, 3> compute_keys = {{
    {"max_page_size",
     [](Model& model, const FileValue& value) { model.compute.max_page_size = static_cast<int>(value.integer(1, 500).value_or(500)); }},
    each<read_instance>("instances"),
    each<read_group>("groups"),
}};

}  // namespace

void read_compute(Model& model, const FileValue& value) {
  read_object<Model>(value, compute_keys, model);
  std::vector<ComputeInstance>& instances = model.compute.instances;
  std::sort(instances.begin(), instances.end(), [](const auto& a, const auto& b) { return a.full_name() < b.full_name(); });
  const auto twice =
      std::adjacent_find(instances.begin(), instances.end(), [](const auto& a, const auto& b) { return a.full_name() == b.full_name(); });
  if (twice != instances.end()) value.complain(fmt::format("instances: there are two instances {}", quoted(twice->full_name())));
}

FileSections compute_sections() {
  return {{"compute", names_of(compute_keys)},
          {"instance", names_of(instance_keys)},
          {"instance_moment", names_of(instance_moment_keys)},
          {"interface", names_of(interface_keys)},
          {"group", names_of(group_keys)}};
}

std::vector<std::string_view> instance_statuses() { return {status_words.begin(), status_words.end()}; }

}  // namespace rollcall::sim
