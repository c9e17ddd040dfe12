#include "devices/local/look_at_machine.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/host_folders.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::array<std::uint32_t, 5> accelerator_vendors = {0x10de, 0x1002, 0x1ae0, 0x1da3, 0x1d0f};

class Folders : public HostFolders {
 public:
  using HostFolders::HostFolders;
  std::set<int> numbers(const std::string& folder, std::string_view prefix) const {
    std::set<int> found;
    for (const std::string& name : names(folder).value_or(std::vector<std::string>())) {
      if (const std::optional<int> number = number_behind(prefix, name)) found.insert(*number);
    }
    return found;
  }
  std::optional<std::uint32_t> pci_number(const std::string& path) const { return parse_pci_number(text(path).value_or("")); }
};

void look_at_pci(const Folders& folders, MachineFacts& machine) {
  const std::string base = "/sys/bus/pci/devices/";
  const std::optional<std::vector<std::string>> names = folders.names(base);
  machine.has_pci = names.has_value();
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    const std::string folder = base + name;
    const std::optional<std::uint32_t> vendor = folders.pci_number(folder + "/vendor");
    if (!vendor || std::find(accelerator_vendors.begin(), accelerator_vendors.end(), *vendor) == accelerator_vendors.end()) continue;
    PciFunction& function = machine.pci.emplace_back();
    function.bus = to_lower(name);
    function.vendor = *vendor;
    function.device = folders.pci_number(folder + "/device").value_or(0);
    function.subsystem_device = folders.pci_number(folder + "/subsystem_device").value_or(0);
    function.device_class = folders.pci_number(folder + "/class").value_or(0);
    function.iommu_group = number_behind("", folders.link_name(folder + "/iommu_group"));
    function.memory_bytes = parse_decimal<std::uint64_t>(folders.word(folder + "/mem_info_vram_total"));
  }
}

void look_at_nvidia(const Folders& folders, MachineFacts& machine) {
  machine.nvidia_nodes = folders.numbers("/dev", "nvidia");
  // The first two are for configuration and monitoring, and need no instance.
  const std::set<int> capabilities = folders.numbers("/dev/nvidia-caps", "nvidia-cap");
  machine.has_mig_nodes = capabilities.upper_bound(2) != capabilities.end();
  const std::string base = "/proc/driver/nvidia/gpus/";
  for (const std::string& name : folders.names(base).value_or(std::vector<std::string>())) {
    const std::optional<std::string> text = folders.text(base + name + "/information");
    NvidiaInformation& found = machine.nvidia_driver.emplace_back(parse_nvidia_information(text.value_or("")));
    if (found.bus.empty()) found.bus = to_lower(name);
  }
  const std::optional<std::string> version = folders.text("/proc/driver/nvidia/version");
  if (version) machine.nvidia_version = parse_nvidia_version(*version);
}

void look_at_amd(const Folders& folders, MachineFacts& machine) {
  machine.has_kfd_node = folders.has("/dev/kfd");
  machine.render_nodes = folders.numbers("/dev/dri", "renderD");
  const std::string base = "/sys/class/kfd/kfd/topology/nodes/";
  for (const int number : folders.numbers(base, "")) {
    KfdProperties node = parse_kfd_properties(folders.text(base + std::to_string(number) + "/properties").value_or(""));
    if (node.simd_count > 0) machine.kfd.push_back(std::move(node));
  }
  machine.amd_version = folders.word("/sys/module/amdgpu/version");
}

void look_at_classes(const Folders& folders, MachineFacts& machine) {
  for (const auto& [base, prefix] :
       {std::pair<std::string, std::string_view>("/sys/class/accel/", "accel"), {"/sys/class/habanalabs/", "hl"}}) {
    for (const int number : folders.numbers(base, prefix)) {
      const std::string device = base + std::string(prefix) + std::to_string(number) + "/device";
      const bool is_known = std::any_of(machine.accelerators.begin(), machine.accelerators.end(),
                                        [number](const AcceleratorNode& one) { return one.number == number; });
      if (is_known) continue;
      AcceleratorNode& found = machine.accelerators.emplace_back();
      found.number = number;
      found.driver = prefix == "hl" ? "habanalabs" : folders.link_name(device + "/driver");
      found.bus = to_lower(folders.link_name(device));
      found.model = folders.word(device + "/device_type");
    }
  }
  machine.habana_version = folders.word("/sys/module/habanalabs/version");
  machine.neuron_version = folders.word("/sys/module/neuron/version");
}

}  // namespace

MachineFacts look_at_machine(const Files& files, const std::string& root) {
  const Folders folders(files, root);
  MachineFacts machine;
  machine.has_devices = folders.names("/dev").has_value();
  look_at_pci(folders, machine);
  look_at_nvidia(folders, machine);
  look_at_amd(folders, machine);
  machine.accel_nodes = folders.numbers("/dev", "accel");
  machine.vfio_nodes = folders.numbers("/dev/vfio", "");
  machine.compute_nodes = folders.numbers("/dev/accel", "accel");
  machine.neuron_nodes = folders.numbers("/dev", "neuron");
  look_at_classes(folders, machine);
  return machine;
}

}  // namespace rollcall
