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

constexpr auto interface_form = file_form<ComputeInterface>(
    "interface", address<&ComputeInterface::ip>("ip"), address<&ComputeInterface::ipv6>("ipv6"),
    address<&ComputeInterface::external_ip>("external_ip"), id<&ComputeInterface::network>("network", "network"));

constexpr auto instance_moment_form =
    file_form<ComputeMoment>("instance_moment", member<&ComputeMoment::at>("at"),
                             word<&ComputeMoment::status>("status", "status", status_words), member<&ComputeMoment::raw>("raw"));

void read_instance_moment(InstanceDraft& draft, const FileValue& value) {
  ComputeMoment moment = draft.timeline.empty() ? draft.base : draft.timeline.back();
  moment.at = Duration(0);
  read_object(value, instance_moment_form, moment);
  append_moment(draft.timeline, std::move(moment), value);
}

void read_interface(InstanceDraft& draft, const FileValue& value) {
  if (draft.others.size() >= 15) return value.complain("an instance has at most 16 interfaces");
  read_object(value, interface_form, draft.others.emplace_back());
}

void read_guest_accelerators(InstanceDraft& draft, const FileValue& value) {
  read_entries(value, [&draft](std::string type, const FileValue& count) {
    draft.instance.guest_accelerators.emplace_back(std::move(type), static_cast<int>(count.integer(1, 1024).value_or(1)));
  });
}

constexpr FileForm<InstanceDraft, 15> instance_form = {
    "instance",  // an entry makes `count` instances
    {{
        id<&InstanceDraft::instance, &ComputeInstance::name>("name", "name of an instance", "{i}"),
        whole<&InstanceDraft::count>("count", 1, max_instances),
        id<&InstanceDraft::instance, &ComputeInstance::zone>("zone", "zone"),
        id<&InstanceDraft::instance, &ComputeInstance::machine_type>("machine_type", "machine type"),
        by<read_guest_accelerators>("guest_accelerators"),
        member<&InstanceDraft::instance, &ComputeInstance::labels>("labels"),
        address<&InstanceDraft::first, &ComputeInterface::ip>("ip"),
        address<&InstanceDraft::first, &ComputeInterface::ipv6>("ipv6"),
        address<&InstanceDraft::first, &ComputeInterface::external_ip>("external_ip"),
        id<&InstanceDraft::first, &ComputeInterface::network>("network", "network"),
        each<read_interface, describe<interface_form>>("interfaces"),
        word<&InstanceDraft::base, &ComputeMoment::status>("status", "status", status_words),
        member<&InstanceDraft::base, &ComputeMoment::raw>("raw"),
        member<&InstanceDraft::running_after>("running_after"),
        each<read_instance_moment, describe<instance_moment_form>>("timeline"),
    }}};

// Moves the interface's addresses to those of the `i`-th instance. Returns the fault, or none.
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
  read_object(value, instance_form, draft);
  value.complain_if_huge("count", draft.count * (draft.timeline.size() + 1));
  if (value.has_problem()) return;
  if (auto wrong = expand_instances(model.compute, draft)) value.complain(*std::move(wrong));
}

void read_named_ports(ComputeGroup& group, const FileValue& value) {
  read_entries(value, [&group](std::string name, const FileValue& port) {
    group.named_ports.emplace_back(std::move(name), static_cast<int>(port.integer(1, 65535).value_or(1)));
  });
}

constexpr auto group_form =
    file_form<ComputeGroup>("group", id<&ComputeGroup::name>("name", "name of a group"), id<&ComputeGroup::zone>("zone", "zone"),
                            id<&ComputeGroup::region>("region", "region"), member<&ComputeGroup::instances>("instances"),
                            by<read_named_ports>("named_ports"), member<&ComputeGroup::warning>("warning"));

void read_group(Model& model, const FileValue& value) {
  ComputeGroup group;
  group.instances = {"*"};
  read_object(value, group_form, group);
  if (value.has_problem()) return;
  if (group.name.empty()) return value.complain("a group needs a name");
  if (!group.zone.empty() && !group.region.empty()) return value.complain("region: a group has a zone or a region");
  if (group.zone.empty() && group.region.empty()) group.zone = model.zone;
  const bool is_known = std::any_of(model.compute.groups.begin(), model.compute.groups.end(),
                                    [&](const ComputeGroup& g) { return g.name == group.name && g.place() == group.place(); });
  if (is_known) return value.complain(fmt::format("there are two groups {} in {}", quoted(group.name), group.place()));
  model.compute.groups.push_back(std::move(group));
}

constexpr auto compute_form =
    file_form<Model>("compute", whole<&Model::compute, &ComputeModel::max_page_size>("max_page_size", 1, 500),
                     each<read_instance, describe<instance_form>>("instances"), each<read_group, describe<group_form>>("groups"));

}  // namespace

void read_compute(Model& model, const FileValue& value) {
  read_object(value, compute_form, model);
  std::vector<ComputeInstance>& instances = model.compute.instances;
  std::sort(instances.begin(), instances.end(), [](const auto& a, const auto& b) { return a.full_name() < b.full_name(); });
  const auto twice =
      std::adjacent_find(instances.begin(), instances.end(), [](const auto& a, const auto& b) { return a.full_name() == b.full_name(); });
  if (twice != instances.end()) value.complain(fmt::format("instances: there are two instances {}", quoted(twice->full_name())));
}

void describe_compute(FileSections& out) { describe<compute_form>(out); }

}  // namespace rollcall::sim
