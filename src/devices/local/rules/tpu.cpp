// Google's TPUs: PCI says which, device files say which of them are given. A chip's further functions are its cores [facts: tpu-pci].
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accelerator/tpu_shape.hpp"
#include "devices/local/rules/count_local_devices.hpp"

namespace rollcall {
namespace {

constexpr std::uint32_t google_vendor = 0x1ae0;

struct TpuChipRow {
  std::uint32_t device;
  std::uint32_t subsystem_device;  // 0: any
  std::string_view model;
  std::optional<TpuGeneration> generation;  // of the types that can be read
};
constexpr TpuChipRow tpu_chips[] = {
    {0x0027, 0x004e, "v2", TpuGeneration::v2},    {0x0027, 0x004f, "v3", TpuGeneration::v3}, {0x005e, 0, "v4", TpuGeneration::v4},
    {0x0063, 0, "v5e", TpuGeneration::v5litepod}, {0x0062, 0, "v5p", TpuGeneration::v5p},    {0x006f, 0, "v6e", TpuGeneration::v6e},
    {0x0076, 0, "tpu7x", TpuGeneration::tpu7x},   {0x0083, 0, "tpu8i", std::nullopt},        {0x007c, 0, "tpu8t", std::nullopt},
};

// Null for another device of that vendor, such as its network adapter.
const TpuChipRow* tpu_chip(const PciFunction& function) {
  if (function.vendor != google_vendor) return nullptr;
  const auto row = std::find_if(std::begin(tpu_chips), std::end(tpu_chips), [&function](const TpuChipRow& one) {
    return one.device == function.device && (one.subsystem_device == 0 || one.subsystem_device == function.subsystem_device);
  });
  return row == std::end(tpu_chips) ? nullptr : row;
}

struct TpuChipHere {
  const TpuChipRow* row;
  const PciFunction* function;
};

}  // namespace

void count_tpu(const MachineFacts& machine, LocalDevices& out) {
  std::map<std::string, TpuChipHere> chips;  // by domain, bus and device: functions are in their order
  for (const PciFunction& function : machine.pci) {
    if (const TpuChipRow* const row = tpu_chip(function))
      chips.try_emplace(function.bus.substr(0, function.bus.rfind('.')), row, &function);
  }
  if (chips.empty() && machine.accel_nodes.empty()) return;
  LocalDeviceGroup group;
  group.kind = "TPU";
  group.vendor = "Google";
  group.source = "PCI and /dev";
  group.count = 0;
  // A file /dev/accelN does not say which chip it is: with as many files as chips all are given.
  const std::size_t accel = machine.accel_nodes.size();
  std::size_t given = 0;
  for (const auto& [bus, chip] : chips) {
    const bool is_in_group = chip.function->iommu_group && machine.vfio_nodes.contains(*chip.function->iommu_group);
    if (!is_in_group && given >= accel) continue;
    ++given;
    const int devices = chip.row->generation ? row_of(*chip.row->generation).devices_per_chip : 1;
    LocalDevice& added = group.devices.emplace_back();
    added.model = fmt::format("TPU {}", chip.row->model);
    added.bus = chip.function->bus;
    if (is_in_group) added.node = fmt::format("/dev/vfio/{}", *chip.function->iommu_group);
    if (chip.row->generation) added.memory_bytes = static_cast<std::uint64_t>(row_of(*chip.row->generation).hbm_gib_per_chip) << 30;
    *group.count += devices;
  }
  group.model = model_of_all(group.devices);
  if (!machine.has_devices) {
    group.count.reset();
    out.notes.emplace_back("/dev cannot be listed: how many TPU chips were given to this container is not known");
  } else if (chips.empty()) {
    group.count.reset();
    out.notes.push_back(
        fmt::format("/dev has {} of TPUs, and PCI is hidden: how many devices a chip has is not known", count_text(accel, "node")));
  } else if (given < chips.size()) {
    out.notes.push_back(fmt::format("PCI has {}, /dev has {}: the others are not given to this container, or have no driver",
                                    count_text(chips.size(), "TPU chip"), given));
  }
  if (group.count && static_cast<std::size_t>(*group.count) != group.devices.size())
    out.notes.push_back(fmt::format("{} with two devices each", count_text(group.devices.size(), "TPU chip")));
  out.groups.push_back(std::move(group));
}

}  // namespace rollcall
