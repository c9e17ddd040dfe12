#include "conformance/device_wire.hpp"

namespace rollcall::conformance {
namespace {

void put_field_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void put_bytes(std::string& out, int field, const std::string& bytes) {
  put_field_varint(out, static_cast<std::uint64_t>(field) << 3 | 2);
  put_field_varint(out, bytes.size());
  out += bytes;
}

void put_number(std::string& out, int field, std::int64_t value) {
  put_field_varint(out, static_cast<std::uint64_t>(field) << 3);
  put_field_varint(out, static_cast<std::uint64_t>(value));
}

std::string write_locality(const DeviceLocality& locality) {
  std::string links;
  for (const DeviceLink& link : locality.links) {
    std::string one;
    put_number(one, 1, link.device_id);
    put_bytes(one, 2, link.type);
    put_number(one, 3, link.strength);
    put_bytes(links, 1, one);
  }
  std::string out;
  put_number(out, 1, locality.bus_id);
  put_number(out, 2, locality.numa_node);
  put_bytes(out, 3, links);
  return out;
}

std::string write_device(const DeviceAttributes& device) {
  std::string out;
  put_bytes(out, 1, device.name);
  put_bytes(out, 2, device.device_type);
  put_field_varint(out, 4 << 3);
  put_field_varint(out, static_cast<std::uint64_t>(device.memory_limit));
  if (device.locality != DeviceLocality()) put_bytes(out, 5, write_locality(device.locality));
  put_field_varint(out, 6 << 3 | 1);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(device.incarnation >> (8 * i));
  if (!device.physical_device_desc.empty()) put_bytes(out, 7, device.physical_device_desc);
  put_field_varint(out, 8 << 3);
  put_field_varint(out, static_cast<std::uint64_t>(-1));  // xla_global_id, as real servers send it for CPUs
  return out;
}

}  // namespace

std::string write_device_lists(const std::vector<DeviceAttributes>& local, const std::vector<DeviceAttributes>& remote) {
  std::string out;
  for (const DeviceAttributes& device : local) put_bytes(out, 1, write_device(device));
  for (const DeviceAttributes& device : remote) put_bytes(out, 2, write_device(device));
  return out;
}

std::string write_text_field(const std::string& text) {
  std::string out;
  put_bytes(out, 1, text);
  return out;
}

std::string read_text_field(const std::string& message) {
  if (message.size() < 2 || message[0] != (1 << 3 | 2)) return {};
  return message.substr(2, static_cast<unsigned char>(message[1]));  // the handles here are short
}

}  // namespace rollcall::conformance
