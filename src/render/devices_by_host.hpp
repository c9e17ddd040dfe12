// Devices grouped by the host that has them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/device_attributes.hpp"

namespace rollcall {

class HostDevices {
 public:
  std::string job;  ///< empty: the names do not say
  std::optional<int> task;
  std::map<std::string, int, std::less<>> counts;  ///< by device type, CPUs too
};

/// By job and task. Names that are no device names count for a host without either.
std::vector<HostDevices> devices_by_host(const std::vector<DeviceAttributes>& devices);

}  // namespace rollcall
