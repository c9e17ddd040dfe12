// Counts derived from lists of devices.
#include "rollcall/tpu_metadata.hpp"

#include <algorithm>
#include <tuple>

#include "rollcall/device.hpp"

namespace rollcall {
namespace {

class NamedDevice {
 public:
  NamedDevice(Device parsed, DeviceAttributes device) : name(std::move(parsed)), attributes(std::move(device)) {}
  auto order() const { return std::tie(name.job, name.replica, name.task, name.type, name.id, attributes.name); }
  Device name;
  DeviceAttributes attributes;
};

}  // namespace

AcceleratorCounts count_accelerators(const std::vector<DeviceAttributes>& devices, const std::optional<std::string>& task_type,
                                     const std::optional<int>& task_id) {
  std::map<std::string, int, std::less<>> counts;
  for (const DeviceAttributes& device : devices) {
    if (device.device_type == "CPU" || device.device_type == "XLA_CPU") continue;
    if (task_type && task_id) {
      const Result<Device> name = Device::parse(device.name);
      if (!name || name->job != task_type || name->task != task_id) continue;
    }
    ++counts[device.device_type];
  }
  return AcceleratorCounts(std::move(counts), CountSource::devices);
}

Result<TpuSystemMetadata> TpuSystemMetadata::of_devices(std::vector<DeviceAttributes> devices) {
  const TpuDeviceMap map = TpuDeviceMap::of_devices(devices);
  const Result<int> cores_per_host = map.hosts().empty() ? Result<int>(0) : map.cores_per_host();
  if (!cores_per_host) return cores_per_host.error();
  TpuSystemMetadata metadata;
  metadata.num_cores = map.total_cores();
  metadata.num_hosts = static_cast<int>(map.hosts().size());
  metadata.num_of_cores_per_host = *cores_per_host;
  std::vector<NamedDevice> named;
  named.reserve(devices.size());
  for (DeviceAttributes& device : devices) {
    Result<Device> name = Device::parse(device.name);
    named.emplace_back(name ? std::move(*name) : Device(), std::move(device));
  }
  std::sort(named.begin(), named.end(), [](const NamedDevice& a, const NamedDevice& b) { return a.order() < b.order(); });
  metadata.devices.reserve(named.size());
  for (NamedDevice& device : named) metadata.devices.push_back(std::move(device.attributes));
  return metadata;
}

TpuSystemMetadata TpuSystemMetadata::of_type(const AcceleratorType& type) {
  TpuSystemMetadata metadata;
  metadata.num_hosts = type.hosts();
  metadata.num_of_cores_per_host = type.devices_per_host();
  metadata.num_cores = metadata.num_hosts * metadata.num_of_cores_per_host;
  metadata.topology = type.topology();
  metadata.source = CountSource::accelerator_type;
  return metadata;
}

}  // namespace rollcall
