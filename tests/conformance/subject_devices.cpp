// Cases of `devices`: device names, counting, wire decoding.
#include <openssl/evp.h>

#include <fmt/format.h>

#include "conformance/arguments.hpp"
#include "conformance/case_grpc.hpp"
#include "conformance/subject.hpp"
#include "devices/wire/device_wire.hpp"
#include "rollcall/device.hpp"
#include "rollcall/tpu_metadata.hpp"

namespace rollcall::conformance {
namespace {

std::string from_base64(const std::string& text) {
  if (text.size() % 4 != 0) throw FormatError("base64 has a length that is a multiple of four");
  std::string bytes(text.size() / 4 * 3, '\0');
  const auto* in = reinterpret_cast<const unsigned char*>(text.data());
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), in, static_cast<int>(text.size()));
  if (size < 0) throw FormatError("not base64");
  bytes.resize(static_cast<std::size_t>(size) - (text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0));
  return bytes;
}

std::string to_base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), in, static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

json::object to_json(const DeviceLocality& locality) {
  json::array links;
  for (const DeviceLink& link : locality.links)
    links.push_back(json::object{{"device_id", link.device_id}, {"type", link.type}, {"strength", link.strength}});
  return json::object{{"bus_id", locality.bus_id}, {"numa_node", locality.numa_node}, {"links", std::move(links)}};
}

json::array to_json(const std::vector<DeviceAttributes>& devices) {
  json::array list;
  for (const DeviceAttributes& device : devices) {
    list.push_back(json::object{{"name", device.name},
                                {"device_type", device.device_type},
                                {"memory_limit", device.memory_limit},
                                {"locality", to_json(device.locality)},
                                {"incarnation", device.incarnation},
                                {"physical_device_desc", device.physical_device_desc}});
  }
  return list;
}

Outcome parse_name(Arguments& args) {
  const Result<Device> device = Device::parse(args.required_text("text"));
  if (!device) return Outcome(device.error());
  return Outcome(json::value(json::object{{"job", or_null(device->job)},
                                          {"replica", or_null(device->replica)},
                                          {"task", or_null(device->task)},
                                          {"type", or_null(device->type)},
                                          {"id", or_null(device->id)}}));
}

Outcome map_devices(Arguments& args) {
  const TpuDeviceMap map = TpuDeviceMap::of_names(Reader(args.required("names"), "names").texts());
  json::object hosts;
  for (const auto& [host, cores] : map.hosts()) {
    json::array ids;
    for (const std::string& core : cores) ids.emplace_back(core);
    hosts.emplace(host, std::move(ids));
  }
  return Outcome(json::value(json::object{{"device_map", std::move(hosts)}, {"total_cores", map.total_cores()}}));
}

Outcome verify_count(Arguments& args) {
  TpuDeviceMap map;
  for (const auto& [host, cores] : Reader(args.required("device_map"), "device_map").object()) {
    for (const std::string& core : Reader(cores, "device_map").texts())
      map.add(fmt::format("/task:{}/device:TPU:{}", std::string_view(host), core));
  }
  const Result<int> cores = map.cores_per_host();
  return cores ? Outcome(json::value(*cores)) : Outcome(cores.error());
}

std::vector<DeviceAttributes> devices_of(Arguments& args) {
  std::vector<std::string> unknown;
  std::vector<DeviceAttributes> devices;
  for (const Reader& device : Reader(args.required("devices"), "devices").items()) devices.push_back(read_device(device, unknown));
  if (!unknown.empty()) throw NotUnderstood("a device has the key " + unknown.front());
  return devices;
}

Outcome count(Arguments& args) {
  const AcceleratorCounts counts = count_accelerators(devices_of(args), args.text("task_type"), args.integer("task_id"));
  json::object result;
  for (const auto& [type, number] : counts.counts()) result.emplace(type, number);
  return Outcome(json::value(std::move(result)));
}

Outcome summarize(Arguments& args) {
  const Result<TpuSystemMetadata> metadata = TpuSystemMetadata::of_devices(devices_of(args));
  if (!metadata) return Outcome(metadata.error());
  json::array names;
  for (const DeviceAttributes& device : metadata->devices) names.emplace_back(device.name);
  return Outcome(json::value(json::object{{"num_cores", metadata->num_cores},
                                          {"num_hosts", metadata->num_hosts},
                                          {"num_of_cores_per_host", metadata->num_of_cores_per_host},
                                          {"topology", nullptr},
                                          {"devices", std::move(names)}}));
}

Outcome decode(const std::string& member, Arguments& args) {
  const std::string bytes = from_base64(args.required_text("wire_b64"));
  if (member == "decode_CreateSessionResponse") {
    const Result<std::string> handle = parse_create_session_response(bytes);
    return handle ? Outcome(json::value(json::object{{"session_handle", *handle}})) : Outcome(handle.error());
  }
  if (member == "decode_GetStatusResponse") {
    const Result<std::vector<DeviceAttributes>> devices = parse_get_status_response(bytes);
    return devices ? Outcome(json::value(json::object{{"device_attributes", to_json(*devices)}})) : Outcome(devices.error());
  }
  const Result<DeviceLists> lists = parse_list_devices_response(bytes);
  if (!lists) return Outcome(lists.error());
  return Outcome(json::value(json::object{{"local_device", to_json(lists->local)}, {"remote_device", to_json(lists->remote)}}));
}

Outcome encoded(const std::string& bytes) { return Outcome(json::value(to_base64(bytes))); }

Outcome answer(const std::string& member, Arguments& args) {
  if (member == "parse_device_name") return parse_name(args);
  if (member == "tpu_device_map") return map_devices(args);
  if (member == "verify_same_core_count") return verify_count(args);
  if (member == "count_accelerators") return count(args);
  if (member == "tpu_system_metadata") return summarize(args);
  if (member == "decode_ListDevicesResponse" || member == "decode_GetStatusResponse" || member == "decode_CreateSessionResponse")
    return decode(member, args);
  if (member == "encode_ListDevicesRequest") return encoded(list_devices_request(args.text("session_handle").value_or("")));
  if (member == "encode_CloseSessionRequest") return encoded(close_session_request(args.text("session_handle").value_or("")));
  if (member == "rpc_path") {
    const std::string service = args.required_text("service");
    return Outcome(json::value(rpc_path(service, args.required_text("method"))));
  }
  throw NotUnderstood("devices have no '" + member + "'");
}

class DevicesSubject final : public Subject {
 public:
  asio::awaitable<Outcome> call(std::string member, const json::object& values, CallOptions) override {
    Arguments args(values, member);
    Outcome outcome = answer(member, args);
    args.finish();
    co_return outcome;
  }

  asio::awaitable<Outcome> first_await(CallOptions) override { co_return Outcome(); }
};

}  // namespace

std::unique_ptr<Subject> make_devices_subject() { return std::make_unique<DevicesSubject>(); }

}  // namespace rollcall::conformance
