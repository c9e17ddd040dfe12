#include "conformance/case_grpc.hpp"

#include <fmt/format.h>

namespace rollcall::conformance {
namespace {

RpcStatus status_named(const Reader& status) {
  const std::string name = status.text();
  for (int code = 0; code <= 16; ++code) {
    if (to_string(static_cast<RpcStatus>(code)) == name) return static_cast<RpcStatus>(code);
  }
  status.fail("the name of a gRPC status");
}

DeviceLocality read_locality(const Reader& locality, std::vector<std::string>& unknown) {
  locality.note_unknown({"bus_id", "numa_node", "links"}, unknown);
  DeviceLocality result;
  if (const auto bus = locality.find("bus_id")) result.bus_id = static_cast<std::int32_t>(bus->integer(0));
  if (const auto node = locality.find("numa_node")) result.numa_node = static_cast<std::int32_t>(node->integer(-1));
  const auto links = locality.find("links");
  if (!links) return result;
  for (const Reader& link : links->items()) {
    link.note_unknown({"device_id", "type", "strength"}, unknown);
    DeviceLink& one = result.links.emplace_back();
    if (const auto id = link.find("device_id")) one.device_id = static_cast<std::int32_t>(id->integer(0));
    if (const auto type = link.find("type")) one.type = type->text();
    if (const auto strength = link.find("strength")) one.strength = static_cast<std::int32_t>(strength->integer(0));
  }
  return result;
}

}  // namespace

DeviceAttributes read_device(const Reader& device, std::vector<std::string>& unknown) {
  device.note_unknown({"name", "device_type", "memory_limit", "incarnation", "physical_device_desc", "locality", "xla_global_id"}, unknown);
  DeviceAttributes result;
  if (const auto name = device.find("name")) result.name = name->text();
  if (const auto type = device.find("device_type")) result.device_type = type->text();
  if (const auto limit = device.find("memory_limit")) result.memory_limit = limit->integer(std::numeric_limits<std::int64_t>::min());
  if (const auto incarnation = device.find("incarnation")) {
    const json::value& value = incarnation->value();
    result.incarnation = value.is_uint64() ? value.get_uint64() : static_cast<std::uint64_t>(incarnation->integer(0));
  }
  if (const auto description = device.find("physical_device_desc")) result.physical_device_desc = description->text();
  if (const auto locality = device.find("locality")) result.locality = read_locality(*locality, unknown);
  return result;
}

GrpcEntry read_grpc_entry(const Reader& entry, std::vector<std::string>& unknown) {
  entry.note_unknown({"target", "devices", "local_devices", "remote_devices", "status", "times", "delay_ms"}, unknown);
  GrpcEntry result;
  result.target = entry.require("target").text();
  const auto read_list = [&](std::string_view key, std::vector<DeviceAttributes>& into) {
    const auto list = entry.find(key);
    if (!list) return;
    for (const Reader& device : list->items()) into.push_back(read_device(device, unknown));
  };
  read_list("devices", result.local);
  read_list("local_devices", result.local);
  read_list("remote_devices", result.remote);
  if (const auto status = entry.find("status")) result.status = status_named(*status);
  if (const auto times = entry.find("times")) result.times = times->integer(0);
  if (const auto delay = entry.find("delay_ms")) result.delay = std::chrono::milliseconds(static_cast<long>(delay->number()));
  return result;
}

}  // namespace rollcall::conformance
