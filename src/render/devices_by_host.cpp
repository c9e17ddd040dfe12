#include "render/devices_by_host.hpp"

#include "rollcall/device.hpp"

namespace rollcall {

std::vector<HostDevices> devices_by_host(const std::vector<DeviceAttributes>& devices) {
  std::map<std::pair<std::string, std::optional<int>>, HostDevices> hosts;
  for (const DeviceAttributes& device : devices) {
    const Result<Device> name = Device::parse(device.name);
    const std::string job = name ? name->job.value_or("") : std::string();
    const std::optional<int> task = name ? name->task : std::nullopt;
    HostDevices& host = hosts[{job, task}];
    host.job = job;
    host.task = task;
    ++host.counts[device.device_type];
  }
  std::vector<HostDevices> result;
  result.reserve(hosts.size());
  for (auto& [key, host] : hosts) result.push_back(std::move(host));
  return result;
}

}  // namespace rollcall
