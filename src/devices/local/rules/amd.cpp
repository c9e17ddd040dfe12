// AMD's GPUs: the nodes of KFD, the kernel's interface for computing, and their device files [facts: amd-kfd].
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "devices/local/rules/count_local_devices.hpp"

namespace rollcall {
namespace {

constexpr std::uint32_t amd_vendor = 0x1002;

}  // namespace

bool is_amd_accelerator(const PciFunction& function) {
  const std::uint32_t kind = function.device_class >> 8;
  return function.vendor == amd_vendor && (kind == 0x0380 || kind == 0x1200);
}

void count_amd(const MachineFacts& machine, LocalDevices& out) {
  const std::size_t pci = static_cast<std::size_t>(std::count_if(machine.pci.begin(), machine.pci.end(), is_amd_accelerator));
  if (pci == 0 && machine.kfd.empty() && !machine.has_kfd_node) return;
  LocalDeviceGroup group;
  group.kind = "GPU";
  group.vendor = "AMD";
  group.source = "KFD and /dev";
  group.driver = machine.amd_version;
  std::map<std::string, int> partitions;
  for (const KfdProperties& node : machine.kfd) ++partitions[node.bus];
  int closed = 0;
  for (const KfdProperties& node : machine.kfd) {
    if (!machine.has_kfd_node || !machine.render_nodes.contains(node.render_minor)) {
      ++closed;
      continue;
    }
    LocalDevice& added = group.devices.emplace_back();
    added.model = node.architecture.empty() ? std::string() : "AMD " + node.architecture;
    added.uuid = node.unique_id;
    added.bus = node.bus;
    added.node = fmt::format("/dev/dri/renderD{}", node.render_minor);
    const auto function =
        std::find_if(machine.pci.begin(), machine.pci.end(), [&node](const PciFunction& one) { return one.bus == node.bus; });
    if (function != machine.pci.end() && partitions[node.bus] == 1) added.memory_bytes = function->memory_bytes;
  }
  group.count = static_cast<int>(group.devices.size());
  group.model = model_of_all(group.devices);
  if (!machine.has_devices) {
    group.count.reset();
    out.notes.emplace_back("/dev cannot be listed: how many GPUs of AMD were given to this container is not known");
  } else if (machine.kfd.empty()) {
    if (pci > 0)
      out.notes.push_back(
          fmt::format("PCI has {} of AMD, and the driver lists none that may be used here: amdgpu is not loaded, or it is hidden "
                      "from this container",
                      count_text(pci, "GPU")));
    if (pci == 0) return;
  } else if (!machine.has_kfd_node) {
    out.notes.push_back(fmt::format("the driver lists {} of AMD, and there is no /dev/kfd: they are not given to this container",
                                    count_text(machine.kfd.size(), "GPU")));
  } else if (closed > 0) {
    out.notes.push_back(fmt::format("the driver lists {} of AMD, /dev/dri has {}: the others are not given to this container",
                                    count_text(machine.kfd.size(), "GPU"), group.devices.size()));
  }
  if (!partitions.empty() && partitions.size() < machine.kfd.size())
    out.notes.push_back(fmt::format("a GPU of AMD can be divided: the driver lists {} partitions of {}, and these count",
                                    machine.kfd.size(), partitions.size()));
  else if (pci > machine.kfd.size() && !machine.kfd.empty())
    out.notes.push_back(
        fmt::format("PCI has {} of AMD, the driver lists {}: the others have fallen off the bus, or are not given to this container",
                    count_text(pci, "GPU"), machine.kfd.size()));
  out.groups.push_back(std::move(group));
}

}  // namespace rollcall
