// Accelerators of every vendor: how many and which, their drivers, what their sources disagree on, and their health by sysfs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "devices/local/rules/count_local_devices.hpp"
#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

void judge_sysfs_device(const SysfsHealth& device, HostNotes& notes) {
  const std::string number = fmt::format("{} {}", device.kind, device.index);
  const auto parts = [&](FindingAction action, std::string_view hint) {
    FindingParts made(action, std::string(hint));
    made.device =
        device.uuid.empty() ? fmt::format("{} ({})", number, device.bus) : fmt::format("{} ({}, {})", number, device.uuid, device.bus);
    return made;
  };
  for (const auto& [block, count] : device.errors) {
    if (count == 0) continue;
    FindingParts made = parts(FindingAction::reset_device, "reset it; replace it if errors come again");
    made.measured = std::to_string(count);
    notes.failure("gpu", fmt::format("{} uncorrectable error{} of its block {}", count, count == 1 ? "" : "s", printable(block, 40)),
                  std::move(made));
  }
  for (const auto& [flag, count] : device.pages) {
    const std::string pages = fmt::format("{} bad page{} of its memory", count, count == 1 ? "" : "s");
    if (flag == 'P')
      notes.failure("gpu", fmt::format("{} {} to be retired at the next reset", pages, count == 1 ? "is" : "are"),
                    parts(FindingAction::reset_device, "reset it"));
    if (flag == 'F') notes.failure("gpu", fmt::format("{} could not be retired", pages), parts(FindingAction::replace, "replace it"));
  }
  if (!device.status.empty() && to_lower(device.status) != "operational")
    notes.failure("gpu", fmt::format("its status is {}", quoted(device.status, 64)),
                  parts(FindingAction::reset_device, "reset it; the kernel log says more"));
  if (device.width && device.width_max && *device.width != 0 && *device.width < *device.width_max)
    notes.failure("gpu", fmt::format("its PCIe link has {} lanes, and can have {}", *device.width, *device.width_max),
                  parts(FindingAction::replace, "seat it again, or replace it or its riser"));
}

// PCI shows all of the machine's devices, also to a container that was given none; the driver lists those that work.
void compare_with_pci(std::string_view kind, const MachineFacts& machine, bool (*is_of_kind)(const PciFunction&),
                      const std::set<std::string>& listed, HostNotes& notes) {
  std::vector<std::string> missing;
  for (const PciFunction& function : machine.pci) {
    if (is_of_kind(function) && !listed.contains(function.bus)) missing.push_back(function.bus);
  }
  if (missing.empty()) return;
  if (listed.empty())
    return notes.unknown("accelerators",
                         fmt::format("PCI has {} {}s, and no driver lists them: it is not loaded, or they are not given to this container",
                                     missing.size(), kind));
  for (const std::string& bus : missing) {
    FindingParts parts(FindingAction::reboot,
                       "restart the machine, and replace the device if it does not come back; in a container it may not be given to it");
    parts.device = fmt::format("{} at {}", kind, bus);
    notes.warning("accelerators", "PCI has it, and its driver does not list it: it may have fallen off the bus", std::move(parts));
  }
}

void judge_sources(const HostLook& look, HostNotes& notes) {
  const MachineFacts& machine = look.machine;
  std::set<std::string> nvidia;
  for (const NvidiaInformation& one : machine.nvidia_driver) {
    nvidia.insert(one.bus);
    if (!one.is_excluded) continue;
    FindingParts parts(FindingAction::replace, "it was excluded because it failed before");
    parts.device = fmt::format("NVIDIA GPU at {}", one.bus);
    notes.failure("accelerators", "the driver does not use it: GPU Excluded", std::move(parts));
  }
  // In some containers /proc lists none, and NVML does.
  for (const NvmlDevice& gpu : look.nvml.report.devices) nvidia.insert(gpu.bus);
  compare_with_pci("NVIDIA GPU", machine, is_nvidia_gpu, nvidia, notes);
  std::set<std::string> amd;
  for (const KfdProperties& node : machine.kfd) amd.insert(node.bus);
  compare_with_pci("AMD GPU", machine, is_amd_accelerator, amd, notes);
  std::set<std::string> gaudi;
  for (const AcceleratorNode& node : machine.accelerators) gaudi.insert(node.bus);
  compare_with_pci("Gaudi", machine, is_gaudi, gaudi, notes);
}

void judge_node(const NodeLook& node, HostNotes& notes) {
  const auto parts = [&node](std::string_view hint) {
    FindingParts made(FindingAction::none, std::string(hint));
    made.device = fmt::format("{} at {}", node.kind, node.path);
    return made;
  };
  if (node.is_closed)
    notes.failure("accelerators", "this user may not open it for reading and writing",
                  parts("add the user to the group of that file, or give the container the device"));
  if (!node.holder.empty())
    notes.failure("in_use", fmt::format("{} has it open, and only one process can", node.holder), parts("end that process"));
}

std::string driver_fact(const LocalDeviceGroup& group, bool is_first) { return is_first ? "driver" : "driver_" + to_lower(group.vendor); }

}  // namespace

std::size_t usable_accelerators(const LocalDevices& devices) {
  std::size_t count = 0;
  for (const LocalDeviceGroup& group : devices.groups) count += static_cast<std::size_t>(std::max(0, group.count.value_or(0)));
  return count;
}

void judge_sysfs(const HostLook& look, HostNotes& notes) {
  for (const SysfsHealth& device : look.sysfs) judge_sysfs_device(device, notes);
}

void judge_devices(const HostLook& look, HostNotes& notes) {
  if (!look.has_devices) {
    if (!look.device_failure.empty()) notes.unknown("accelerators", look.device_failure);
    return;
  }
  bool is_counted = true;
  std::string models;
  for (const LocalDeviceGroup& group : look.devices.groups) {
    is_counted = is_counted && group.count.has_value();
    const std::string& model = group.model.empty() ? group.vendor : group.model;
    models += fmt::format("{}{}", models.empty() ? "" : ", ", model);
    notes.fact("driver", driver_fact(group, &group == &look.devices.groups.front()), group.driver);
    if (!group.count) notes.unknown("accelerators", fmt::format("how many {}s there are is not known", group.kind));
    if (!group.devices.empty() && group.devices.front().memory_bytes)
      notes.fact("accelerators", &group == &look.devices.groups.front() ? "gpu_memory" : "gpu_memory_" + to_lower(group.vendor),
                 size_text(*group.devices.front().memory_bytes));
  }
  if (is_counted) notes.fact("accelerators", "accelerators", std::to_string(usable_accelerators(look.devices)));
  notes.fact("accelerators", "accelerator", models);
  judge_sources(look, notes);
  for (const NodeLook& node : look.nodes) judge_node(node, notes);
}

HostReport judge_host(const HostLook& look, const HostChecks& checks) {
  HostReport report;
  report.host = printable(look.host, 256);
  report.boot_id = printable(look.boot_id, 64);
  if (look.has_devices) report.devices = look.devices;
  for (const NvmlDevice& gpu : look.nvml.report.devices) {
    GpuHealth& added = report.gpus.emplace_back();
    added.index = gpu.index;
    added.uuid = gpu.uuid;
    added.bus = gpu.bus;
    added.name = gpu.name;
    added.result = gpu.result;
    added.values = gpu.values;
    for (const NvmlUser& user : gpu.users) {
      GpuUser& process = added.users.emplace_back();
      process.pid = user.pid;
      process.memory_bytes = user.memory;
    }
  }
  HostNotes notes(checks, report);
  judge_system(look, notes);
  judge_devices(look, notes);
  judge_nvidia(look, notes);
  judge_sysfs(look, notes);
  judge_resources(look, notes);
  judge_folders(look, notes);
  judge_speeds(look, notes);
  judge_others(look, notes);
  judge_network(look, notes);
  notes.finish();
  return report;
}

}  // namespace rollcall
