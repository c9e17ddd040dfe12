// The health of accelerators whose drivers have it in sysfs [facts: amd-ras, gaudi-sysfs].
#include <algorithm>

#include "base/host_folders.hpp"
#include "base/text.hpp"
#include "preflight/host/look_at_host.hpp"

namespace rollcall {
namespace {

void look_at_width(const HostFolders& folders, SysfsHealth& device) {
  const std::string folder = "/sys/bus/pci/devices/" + device.bus;
  device.width = parse_decimal<std::uint64_t>(folders.word(folder + "/current_link_width"), 0, 64);
  device.width_max = parse_decimal<std::uint64_t>(folders.word(folder + "/max_link_width"), 0, 64);
}

void look_at_ras(const HostFolders& folders, SysfsHealth& device) {
  const std::string folder = "/sys/bus/pci/devices/" + device.bus + "/ras/";
  constexpr std::string_view ending = "_err_count";
  for (const std::string& name : folders.names(folder).value_or(std::vector<std::string>())) {
    if (!name.ends_with(ending)) continue;
    const auto counts = parse_ras_counts(folders.text(folder + name).value_or(""));
    if (const auto found = counts.find("ue"); found != counts.end())
      device.errors.emplace(name.substr(0, name.size() - ending.size()), found->second);
  }
  device.pages = parse_bad_pages(folders.text(folder + "gpu_vram_bad_pages").value_or(""));
}

}  // namespace

void look_at_sysfs_health(const Files& files, const std::string& root, HostLook& look) {
  const HostFolders folders(files, root);
  std::vector<std::string> seen;
  for (const KfdProperties& node : look.machine.kfd) {
    // Partitions of one GPU share its folder.
    if (node.bus.empty() || std::find(seen.begin(), seen.end(), node.bus) != seen.end()) continue;
    SysfsHealth& device = look.sysfs.emplace_back();
    device.kind = "AMD GPU";
    device.index = static_cast<int>(seen.size());
    device.bus = node.bus;
    device.uuid = node.unique_id;
    seen.push_back(node.bus);
    look_at_ras(folders, device);
    look_at_width(folders, device);
  }
  for (const AcceleratorNode& node : look.machine.accelerators) {
    if (node.driver != "habanalabs") continue;
    SysfsHealth& device = look.sysfs.emplace_back();
    device.kind = "Gaudi";
    device.index = node.number;
    device.bus = node.bus;
    for (const char* const base : {"/sys/class/accel/accel", "/sys/class/habanalabs/hl"}) {
      if (device.status.empty()) device.status = folders.word(base + std::to_string(node.number) + "/device/status");
    }
    look_at_width(folders, device);
  }
}

}  // namespace rollcall
