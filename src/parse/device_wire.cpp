#include "parse/device_wire.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <iterator>

#include "core/text.hpp"
#include "device.pb.h"

namespace rollcall {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr std::uint32_t length_delimited = 2;
constexpr std::uint32_t field(std::uint32_t number) { return (number << 3) | length_delimited; }

Failure no_message(std::string_view name, std::size_t size) {
  return Failure(Errc::malformed_response, fmt::format("these {} bytes are no {}", size, name));
}

bool skip(CodedInputStream& in, std::uint32_t tag) {
  std::uint64_t number = 0;
  std::uint32_t small = 0;
  switch (tag & 7u) {
    case 0: return in.ReadVarint64(&number);
    case 1: return in.ReadLittleEndian64(&number);
    case length_delimited: return in.ReadVarint32(&small) && in.Skip(static_cast<int>(small));
    case 5: return in.ReadLittleEndian32(&small);
    default: return false;  // groups are not used here
  }
}

Result<DeviceAttributes> read_device(std::string_view name, std::string_view bytes) {
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
  return device;
}

// A message whose fields 1 and 2 are lists of devices.
Result<DeviceLists> read_lists(std::string_view name, std::string_view bytes) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  DeviceLists lists;
  while (const std::uint32_t tag = in.ReadTag()) {
    if (tag != field(1) && tag != field(2)) {
      if (!skip(in, tag)) return no_message(name, bytes.size());
      continue;
    }
    std::uint32_t size = 0;
    if (!in.ReadVarint32(&size)) return no_message(name, bytes.size());
    const auto at = static_cast<std::size_t>(in.CurrentPosition());
    if (size > bytes.size() - at) return no_message(name, bytes.size());
    if (lists.local.size() + lists.remote.size() == max_devices) {
      return Failure(Errc::limit_exceeded, fmt::format("the {} has more than {} devices", name, max_devices));
    }
    Result<DeviceAttributes> device = read_device(name, bytes.substr(at, size));
    if (!device) return device.error();
    (tag == field(1) ? lists.local : lists.remote).push_back(std::move(*device));
    if (!in.Skip(static_cast<int>(size))) return no_message(name, bytes.size());
  }
  if (!in.ConsumedEntireMessage() || static_cast<std::size_t>(in.CurrentPosition()) != bytes.size()) return no_message(name, bytes.size());
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
    // The bytes are those of a ClusterDef, whoever wrote them.
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
