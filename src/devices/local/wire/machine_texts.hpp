// The texts of /proc and /sys about accelerators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// /proc/driver/nvidia/gpus/BUS/information.
class NvidiaInformation {
 public:
  NvidiaInformation() {}
  std::string model;
  std::string uuid;  ///< empty: the driver has not initialised the GPU
  std::string bus;
  std::optional<int> minor;
  bool is_excluded = false;  ///< the driver does not use it
};
NvidiaInformation parse_nvidia_information(std::string_view text);

/// The first word of digits and dots in the first line of /proc/driver/nvidia/version; the words before it differ by module and age. Empty:
/// there is none.
std::string parse_nvidia_version(std::string_view text);

/// A node of /sys/class/kfd/kfd/topology: `properties`, a name and a number a line.
class KfdProperties {
 public:
  KfdProperties() {}
  std::uint64_t simd_count = 0;  ///< 0: no GPU, or not readable here
  int render_minor = -1;  ///< N of /dev/dri/renderDN
  std::string bus;
  std::string architecture;  ///< `gfx942`
  std::string unique_id;
};
KfdProperties parse_kfd_properties(std::string_view text);

/// `0x10de` and an end of line, as sysfs has numbers of PCI. Absent: anything else.
std::optional<std::uint32_t> parse_pci_number(std::string_view text);

/// The number behind `prefix` in a name such as `nvidia0`; absent: the name is another one.
std::optional<int> number_behind(std::string_view prefix, std::string_view name);

}  // namespace rollcall
