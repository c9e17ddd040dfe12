// What the folders of this host say about accelerators, and what NVML said: the input of count_local_devices().
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/local/wire/machine_texts.hpp"
#include "devices/local/wire/nvml_line.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A PCI function of a vendor of accelerators. sysfs shows all of the host's, also those that this container was not given [facts:
/// device-views].
class PciFunction {
 public:
  PciFunction() {}
  std::string bus;
  std::uint32_t vendor = 0;
  std::uint32_t device = 0;
  std::uint32_t subsystem_device = 0;
  std::uint32_t device_class = 0;  ///< 0x030200
  std::optional<int> iommu_group;
  std::optional<std::uint64_t> memory_bytes;  ///< amdgpu only
};

/// An entry of /sys/class/accel, or of a driver's own class.
class AcceleratorNode {
 public:
  AcceleratorNode() {}
  int number = 0;
  std::string driver;
  std::string bus;
  std::string model;
};

class MachineFacts {
 public:
  MachineFacts() {}
  bool has_pci = false;      ///< /sys/bus/pci/devices can be listed
  bool has_devices = false;  ///< /dev can be listed
  std::vector<PciFunction> pci;
  std::set<int> nvidia_nodes;          ///< /dev/nvidiaN
  bool has_mig_nodes = false;          ///< /dev/nvidia-caps has capabilities of instances
  std::vector<NvidiaInformation> nvidia_driver;  ///< /proc/driver/nvidia/gpus
  std::optional<std::string> nvidia_version;     ///< absent: the driver is not loaded, or hidden
  bool has_kfd_node = false;           ///< /dev/kfd
  std::set<int> render_nodes;          ///< /dev/dri/renderDN
  std::vector<KfdProperties> kfd;      ///< nodes that are GPUs
  std::string amd_version;
  std::set<int> accel_nodes;           ///< /dev/accelN, of TPUs
  std::set<int> vfio_nodes;            ///< /dev/vfio/N
  std::set<int> compute_nodes;         ///< /dev/accel/accelN
  std::vector<AcceleratorNode> accelerators;  ///< /sys/class/accel and /sys/class/habanalabs
  std::string habana_version;
  std::set<int> neuron_nodes;          ///< /dev/neuronN
  std::string neuron_version;
};

/// How asking NVML ended.
class NvmlOutcome {
 public:
  enum class End { not_asked, silent, died, nonsense, answered };
  NvmlOutcome() {}
  NvmlOutcome(End how, std::string words) : end(how), text(std::move(words)) {}
  explicit NvmlOutcome(NvmlReport answer) : end(End::answered), report(std::move(answer)) {}
  End end = End::not_asked;
  std::string text;  ///< for silent, died, nonsense: what happened
  NvmlReport report;
};

}  // namespace rollcall
