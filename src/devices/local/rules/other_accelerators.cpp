// Intel's Gaudi and AWS's Neuron devices: PCI, the driver's class in sysfs, device files [facts: gaudi-sysfs, neuron-nodes].
#include <fmt/format.h>

#include <algorithm>

#include "devices/local/rules/count_local_devices.hpp"

namespace rollcall {
namespace {

constexpr std::uint32_t habana_vendor = 0x1da3;
constexpr std::uint32_t amazon_vendor = 0x1d0f;
constexpr std::uint32_t processing_accelerator = 0x1200;

std::string_view gaudi_model(std::uint32_t device) {
  switch (device) {
    case 0x0001: return "Goya";
    case 0x1000:
    case 0x1001:
    case 0x1010:
    case 0x1011: return "Gaudi";
    case 0x1020: return "Gaudi 2";
    case 0x1060:
    case 0x1062: return "Gaudi 3";
    default: return "";
  }
}

}  // namespace

bool is_gaudi(const PciFunction& function) {
  return function.vendor == habana_vendor && function.device_class >> 8 == processing_accelerator;
}

void count_gaudi(const MachineFacts& machine, LocalDevices& out) {
  std::vector<const PciFunction*> functions;
  for (const PciFunction& one : machine.pci) {
    if (is_gaudi(one)) functions.push_back(&one);
  }
  std::vector<const AcceleratorNode*> driven;
  for (const AcceleratorNode& one : machine.accelerators) {
    if (one.driver == "habanalabs") driven.push_back(&one);
  }
  if (functions.empty() && driven.empty()) return;
  LocalDeviceGroup group;
  group.kind = "HPU";
  group.vendor = "Intel";
  group.source = "/dev";
  group.driver = machine.habana_version;
  for (const AcceleratorNode* const one : driven) {
    if (!machine.compute_nodes.contains(one->number)) continue;
    LocalDevice& added = group.devices.emplace_back();
    added.bus = one->bus;
    added.index = one->number;
    added.node = fmt::format("/dev/accel/accel{}", one->number);
    const auto function = std::find_if(functions.begin(), functions.end(), [one](const PciFunction* at) { return at->bus == one->bus; });
    added.model = function == functions.end() ? one->model : std::string(gaudi_model((*function)->device));
  }
  group.count = static_cast<int>(group.devices.size());
  group.model = model_of_all(group.devices);
  const std::size_t here = std::max(functions.size(), driven.size());
  if (!machine.has_devices) {
    group.count.reset();
    out.notes.emplace_back("/dev cannot be listed: how many Gaudi were given to this container is not known");
  } else if (driven.empty()) {
    // The folder of device files is shared with other vendors' accelerators.
    if (!machine.compute_nodes.empty()) group.count.reset();
    out.notes.push_back(
        fmt::format("PCI has {} Gaudi, and the driver's list is not there: habanalabs is not loaded, or it is hidden from this container",
                    functions.size()));
  } else if (group.devices.size() < here) {
    out.notes.push_back(fmt::format("PCI has {} Gaudi, the driver {}, /dev {}: the others are not given to this container, or do not work",
                                    functions.size(), driven.size(), group.devices.size()));
  }
  out.groups.push_back(std::move(group));
}

void count_neuron(const MachineFacts& machine, LocalDevices& out) {
  const auto is_neuron = [](const PciFunction& one) {
    return one.vendor == amazon_vendor && one.device_class >> 8 == processing_accelerator;
  };
  const std::size_t pci = static_cast<std::size_t>(std::count_if(machine.pci.begin(), machine.pci.end(), is_neuron));
  if (pci == 0 && machine.neuron_nodes.empty()) return;
  LocalDeviceGroup group;
  group.kind = "NEURON";
  group.vendor = "AWS";
  group.source = "/dev";
  group.driver = machine.neuron_version;
  for (const int number : machine.neuron_nodes) {
    LocalDevice& added = group.devices.emplace_back();
    added.model = "AWS Neuron";
    added.index = number;
    added.node = fmt::format("/dev/neuron{}", number);
  }
  group.count = static_cast<int>(group.devices.size());
  group.model = model_of_all(group.devices);
  if (!machine.has_devices) {
    group.count.reset();
    out.notes.emplace_back("/dev cannot be listed: how many Neuron devices were given to this container is not known");
  } else if (pci > group.devices.size()) {
    out.notes.push_back(fmt::format("PCI has {}, /dev has {}: the others are not given to this container, or the driver is not loaded",
                                    count_text(pci, "Neuron device"), group.devices.size()));
  }
  out.groups.push_back(std::move(group));
}

}  // namespace rollcall
