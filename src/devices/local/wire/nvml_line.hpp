// The line that the process prints which has loaded NVIDIA's management library (NVML), and its reading.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

inline constexpr std::size_t max_nvml_devices = 256;
inline constexpr std::size_t max_nvml_instances = 64;  // MIG has at most 7
inline constexpr std::size_t max_nvml_values = 64;
inline constexpr std::size_t max_nvml_processes = 64;  // of a GPU; more of them are left out
inline constexpr std::size_t max_nvml_line_bytes = 1 << 20;

/// A process that computes on a GPU.
class NvmlUser {
 public:
  NvmlUser() {}
  std::uint64_t pid = 0;  ///< as this process's namespace has it; another one's may be 0
  std::optional<std::uint64_t> memory;
};

/// A GPU, or a MIG instance of one.
class NvmlDevice {
 public:
  NvmlDevice() {}
  int index = 0;
  int result = 0;  ///< NVML's code of the first request that failed and is needed; 0: none
  std::string name;
  std::string uuid;
  std::string bus;
  std::optional<int> minor;  ///< N of /dev/nvidiaN
  std::optional<std::uint64_t> memory;
  std::map<std::string, std::uint64_t> values;  ///< its health by name, as far as the library says: `rows_failed`, `temperature`
  std::vector<NvmlUser> users;
  bool is_health_late = false;  ///< it was named, and its health was still asked for when the time was over
  bool has_mig = false;  ///< MIG mode is on: its instances count, and it does not
  std::vector<NvmlDevice> instances;
};

class NvmlReport {
 public:
  NvmlReport() {}
  std::string step;     ///< the function that failed, `dlopen` too; empty: none
  std::string message;  ///< dlopen's
  int result = 0;       ///< of that function
  std::string driver;
  std::uint64_t count = 0;  ///< as NVML has it; over max_nvml_devices there are no devices
  std::vector<NvmlDevice> devices;
};

/// One line, with its end.
std::string write_nvml_line(const NvmlReport& report);

/// The last line of `output`: a library may print before it. Errors: malformed_response.
Result<NvmlReport> parse_nvml_line(std::string_view output);

}  // namespace rollcall
