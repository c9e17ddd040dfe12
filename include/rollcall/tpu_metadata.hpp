// Counts and lists the devices of a TPU cluster. Source: tensorflow/python/tpu/tpu_system_metadata.py and
// TPUClusterResolver.num_accelerators.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/device.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The TPU cores of each host by name: task index → core ids, both as the names spell them. Hosts of different jobs that have
/// the same task index count as one, and a name that occurs twice counts twice, as upstream has it.
class TpuDeviceMap {
 public:
  TpuDeviceMap() {}
  /// Uses names that end in `task:N/device:TPU:M`; others are ignored.
  static TpuDeviceMap of_names(const std::vector<std::string>& names);
  static TpuDeviceMap of_devices(const std::vector<DeviceAttributes>& devices);
  void add(std::string_view name);

  const std::map<std::string, std::vector<std::string>, std::less<>>& hosts() const noexcept { return hosts_; }
  int total_cores() const noexcept { return total_; }
  /// The number that all hosts share. Errors: failed_precondition naming the hosts that differ, or without hosts.
  Result<int> cores_per_host() const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> hosts_;
  int total_ = 0;
};

/// Accelerators by device type, without CPU and XLA_CPU. With a task type and a task id only the devices of exactly that
/// task; one of the two alone is ignored. Names that are no device names are skipped then.
AcceleratorCounts count_accelerators(const std::vector<DeviceAttributes>& devices, const std::optional<std::string>& task_type = {},
                                     const std::optional<int>& task_id = {});

/// How many devices and hosts a TPU has, and where the numbers come from. Source: tf.tpu.TPUSystemMetadata.
class TpuSystemMetadata {
 public:
  TpuSystemMetadata() {}
  /// Devices of type TPU are counted, hosts are distinguished by task index. Errors: failed_precondition for uneven hosts.
  static Result<TpuSystemMetadata> of_devices(std::vector<DeviceAttributes> devices);
  /// The numbers that follow from the type's name; the list of devices is empty then.
  static TpuSystemMetadata of_type(const AcceleratorType& type);

  int num_cores = 0;
  int num_hosts = 0;
  int num_of_cores_per_host = 0;
  std::optional<Topology> topology;        ///< in chips; only from the accelerator type
  std::vector<DeviceAttributes> devices;   ///< all, CPUs too, by job, replica, task, type and id
  CountSource source = CountSource::devices;
};

}  // namespace rollcall
