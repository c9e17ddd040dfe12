#include "devices/wire/device_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/protobuf_fields.hpp"
#include "base/text.hpp"
#include "device.pb.h"

namespace rollcall {
namespace {

Failure no_message(std::string_view name, std::size_t size) {
  return Failure(Errc::malformed_response, fmt::format("these {} bytes are no {}", size, name));
}

bool read_link(std::string_view bytes, DeviceLink& link) {
  return read_fields(bytes, [&link](std::uint32_t tag, std::uint64_t value, std::string_view text) {
    if (tag == number_field(1)) link.device_id = static_cast<std::int32_t>(value);
    if (tag == bytes_field(2)) link.type = text;
    if (tag == number_field(3)) link.strength = static_cast<std::int32_t>(value);
    return tag != bytes_field(2) || is_valid_utf8(text);
  });
}

// The parts of a repeated submessage are merged, as in protobuf.
bool read_locality(std::string_view bytes, DeviceLocality& locality, std::size_t& links_left) {
  const auto take_link = [&](std::uint32_t tag, std::uint64_t, std::string_view text) {
    if (tag != bytes_field(1)) return true;
    if (links_left == 0) return false;
    --links_left;
    return read_link(text, locality.links.emplace_back());
  };
  return read_fields(bytes, [&](std::uint32_t tag, std::uint64_t value, std::string_view text) {
    if (tag == number_field(1)) locality.bus_id = static_cast<std::int32_t>(value);
    if (tag == number_field(2)) locality.numa_node = static_cast<std::int32_t>(value);
    return tag != bytes_field(3) || read_fields(text, take_link);
  });
}

Result<DeviceAttributes> read_device(std::string_view name, std::string_view bytes, std::size_t& links_left) {
  wire::DeviceAttributes message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return no_message(name, bytes.size());
  if (!is_valid_utf8(message.name()) || !is_valid_utf8(message.device_type()) || !is_valid_utf8(message.physical_device_desc())) {
    return Failure(Errc::malformed_response,
                   fmt::format("a device of the {} has text that is not UTF-8: {}", name, quoted(message.name(), 80)));
  }
  DeviceAttributes device(message.name(), message.device_type());
  device.memory_limit = message.memory_limit();
  device.incarnation = message.incarnation();
  device.physical_device_desc = message.physical_device_desc();
  if (!read_locality(message.locality(), device.locality, links_left)) {
    if (links_left == 0) return Failure(Errc::limit_exceeded, fmt::format("the {} has more than {} links of devices", name, max_devices));
    return no_message(name, bytes.size());
  }
  return device;
}

// A message whose fields 1 and 2 are lists of devices.
Result<DeviceLists> read_lists(std::string_view name, std::string_view bytes) {
  DeviceLists lists;
  std::size_t links_left = max_devices;
  std::optional<Failure> failure;
  const bool is_message = read_fields(bytes, [&](std::uint32_t tag, std::uint64_t, std::string_view text) {
    if (tag != bytes_field(1) && tag != bytes_field(2)) return true;
    if (lists.local.size() + lists.remote.size() == max_devices) {
      failure.emplace(Errc::limit_exceeded, fmt::format("the {} has more than {} devices", name, max_devices));
      return false;
    }
    Result<DeviceAttributes> device = read_device(name, text, links_left);
    if (device) (tag == bytes_field(1) ? lists.local : lists.remote).push_back(std::move(*device));
    if (!device) failure = device.error();
    return device.has_value();
  });
  if (failure) return *failure;
  if (!is_message) return no_message(name, bytes.size());
  return lists;
}

}  // namespace

std::vector<DeviceAttributes> DeviceLists::all() && {
  std::vector<DeviceAttributes> devices = std::move(local);
  devices.reserve(devices.size() + remote.size());
  std::move(remote.begin(), remote.end(), std::back_inserter(devices));
  return devices;
}

Result<DeviceLists> parse_list_devices_response(std::string_view bytes) { return read_lists("ListDevicesResponse", bytes); }

Result<std::vector<DeviceAttributes>> parse_get_status_response(std::string_view bytes) {
  Result<DeviceLists> lists = read_lists("GetStatusResponse", bytes);
  if (!lists) return lists.error();
  return std::move(lists->local);
}

Result<std::string> parse_create_session_response(std::string_view bytes) {
  wire::CreateSessionResponse message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return no_message("CreateSessionResponse", bytes.size());
  if (message.session_handle().empty()) return Failure(Errc::malformed_response, "the CreateSessionResponse has no session handle");
  return message.session_handle();
}

std::string list_devices_request(std::string_view session_handle) {
  wire::ListDevicesRequest message;
  message.set_session_handle(std::string(session_handle));
  return message.SerializeAsString();
}

std::string create_session_request(std::string_view target, const ClusterSpec& cluster) {
  wire::CreateSessionRequest message;
  message.mutable_graph_def();
  message.set_target(std::string(target));
  if (!cluster.empty()) {
    // to_cluster_def() returns the bytes of a valid ClusterDef, so the parser cannot fail.
    const std::string bytes = cluster.to_cluster_def();
    static_cast<void>(message.mutable_config()->mutable_cluster_def()->ParseFromString(bytes));
  }
  return message.SerializeAsString();
}

std::string close_session_request(std::string_view session_handle) {
  wire::CloseSessionRequest message;
  message.set_session_handle(std::string(session_handle));
  return message.SerializeAsString();
}

std::string rpc_path(std::string_view service, std::string_view method) { return fmt::format("/tensorflow.{}Service/{}", service, method); }

}  // namespace rollcall
