// The devices of clusters as text or JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "render/render_cluster.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/device.hpp"
#include "rollcall/tpu_metadata.hpp"

namespace rollcall {

class HostDevices {
 public:
  std::string job;  ///< empty: not in the names
  std::optional<int> task;
  std::map<std::string, int, std::less<>> counts;  ///< by device type, CPUs too
};

/// By job and task. Invalid device names count for a host without either.
std::vector<HostDevices> devices_by_host(const std::vector<DeviceAttributes>& devices);

/// The devices of one target.
class DeviceReport {
 public:
  DeviceReport() {}
  DeviceReport(std::string asked, TpuSystemMetadata what) : target(std::move(asked)), metadata(std::move(what)), is_tpu(true) {}
  DeviceReport(std::string asked, std::vector<DeviceAttributes> devices) : target(std::move(asked)) {
    metadata.devices = std::move(devices);
  }
  std::string target;
  TpuSystemMetadata metadata;
  bool is_tpu = false;  ///< the numbers of cores and hosts are valid
  // What follows is set by report_of_members().
  std::vector<HostDevices> hosts;
  std::size_t machines = 0;  ///< where the hosts' tasks run; 0: the devices were listed
  std::string model;  ///< that all have; may be empty
  std::string source;
};

/// The accelerators that members say they have; those that the tasks of a machine share are counted once. None if they are not known of
/// every member.
std::optional<DeviceReport> report_of_members(std::string target, const std::vector<Member>& members);

/// A line about each target, and below it one for each host: job, task, and how many devices it has of each type.
std::string render_devices_text(const std::vector<DeviceReport>& reports);
/// One document on one line; the members are described in docs/command.md.
std::string render_devices_json(const std::vector<DeviceReport>& reports, const std::vector<TargetFailure>& failures);

}  // namespace rollcall
