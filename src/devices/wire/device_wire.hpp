// TensorFlow's device and session messages: bytes in, values out, and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/device.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// More in one answer than any cluster has is refused before it is unpacked.
constexpr std::size_t max_devices = 262'144;

/// ListDevicesResponse, and GetStatusResponse with an empty `remote`.
class DeviceLists {
 public:
  DeviceLists() {}
  std::vector<DeviceAttributes> local;
  std::vector<DeviceAttributes> remote;
  /// Both, local first. A name that stands twice stays twice, as upstream has it.
  std::vector<DeviceAttributes> all() &&;
};

/// Errors: malformed_response (no such message, text that is not UTF-8), limit_exceeded (max_devices).
Result<DeviceLists> parse_list_devices_response(std::string_view bytes);
Result<std::vector<DeviceAttributes>> parse_get_status_response(std::string_view bytes);
/// The handle. Errors: malformed_response, also for an empty one.
Result<std::string> parse_create_session_response(std::string_view bytes);

/// An empty handle: the cluster that the server was booted with.
std::string list_devices_request(std::string_view session_handle);
/// `target` is the master as the client wrote it; a non-empty cluster is what the session is to know.
std::string create_session_request(std::string_view target, const ClusterSpec& cluster);
std::string close_session_request(std::string_view session_handle);

/// `/tensorflow.MasterService/ListDevices`: the shipped stubs' names, not those of the published service files [facts: tf-rpc-paths].
std::string rpc_path(std::string_view service, std::string_view method);

}  // namespace rollcall
