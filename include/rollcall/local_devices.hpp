// The accelerators of this host as values: what is counted, by which source, and what contradicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rollcall {

/// One accelerator that programs on this host can open. Facts that no source has are empty.
class LocalDevice {
 public:
  LocalDevice() {}
  std::string model;  ///< the driver's name: `NVIDIA H100 80GB HBM3`
  std::string uuid;
  std::string bus;          ///< PCI bus id, `0000:00:06.0`
  std::optional<int> index;  ///< NVML's, else the number in its device file's name
  std::string node;          ///< `/dev/nvidia0`
  std::optional<std::uint64_t> memory_bytes;
};

/// A variable that hides devices from this process's accelerator library.
class VisibleDevices {
 public:
  VisibleDevices() {}
  VisibleDevices(std::string name, std::optional<int> how_many) : variable(std::move(name)), count(how_many) {}
  std::string variable;       ///< `CUDA_VISIBLE_DEVICES`
  std::optional<int> count;  ///< absent: which devices it means is not known
};

/// The accelerators of one vendor.
class LocalDeviceGroup {
 public:
  LocalDeviceGroup() {}
  std::string kind;    ///< `GPU`, `TPU`, `HPU` (Gaudi), `NEURON` (AWS)
  std::string vendor;  ///< `NVIDIA`, `AMD`, `Google`, `Intel`, `AWS`
  std::string model;   ///< of all of them; empty: they differ, or it is not known
  /// What programs can use: MIG instances where MIG mode is on, for TPUs the devices that a runtime lists (cores of v2, v3 and tpu7x, else
  /// chips). Absent: not known; a note says why.
  std::optional<int> count;
  std::string source;  ///< that the count is from: `NVML`, `/dev`, `KFD and /dev`, `PCI and /dev`
  std::string driver;  ///< its version
  std::vector<LocalDevice> devices;  ///< at most one for each that is counted; for TPUs the chips
  std::optional<VisibleDevices> visible;  ///< absent: no variable hides any
};

class LocalDevices {
 public:
  LocalDevices() {}
  std::vector<LocalDeviceGroup> groups;  ///< vendors of which any source has a device
  std::vector<std::string> notes;  ///< sentences: sources that disagree, devices that do not work, sources that did not answer
};

}  // namespace rollcall
