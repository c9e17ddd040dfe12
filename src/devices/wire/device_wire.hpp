// TensorFlow's messages about devices and sessions: parses and writes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/device.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// An answer with more than any real cluster has is refused before it is unpacked.
constexpr std::size_t max_devices = 262'144;

/// ListDevicesResponse, or GetStatusResponse with an empty `remote`.
class DeviceLists {
 public:
  DeviceLists() {}
  std::vector<DeviceAttributes> local;
  std::vector<DeviceAttributes> remote;
  /// Both, local first. Duplicate names are kept, as in upstream.
  std::vector<DeviceAttributes> all() &&;
};

/// Errors: malformed_response (not such a message, text that is not UTF-8), limit_exceeded (max_devices).
Result<DeviceLists> parse_list_devices_response(std::string_view bytes);
Result<std::vector<DeviceAttributes>> parse_get_status_response(std::string_view bytes);
/// The session's handle. Errors: malformed_response, also for an empty one.
Result<std::string> parse_create_session_response(std::string_view bytes);

/// With an empty handle the request is for the cluster that the server was started with.
std::string list_devices_request(std::string_view session_handle);
/// `target` is the master in the client's spelling. A non-empty cluster is the session's cluster definition.
std::string create_session_request(std::string_view target, const ClusterSpec& cluster);
std::string close_session_request(std::string_view session_handle);

/// `/tensorflow.MasterService/ListDevices`: the names of the shipped stubs, not those of the published service files [facts: tf-rpc-paths].
std::string rpc_path(std::string_view service, std::string_view method);

}  // namespace rollcall
