// Writes and parses protobuf messages by hand instead of with the library's classes, so that tests compare two independent implementations.
#include "sim/workers/workers.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "rollcall/device.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

namespace {

enum WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void add_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127u) | 128u);
  out += static_cast<char>(value);
}

void add_tag(std::string& out, int field, WireType type) {
  add_varint(out, static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

void add_bytes(std::string& out, int field, std::string_view value) {
  add_tag(out, field, bytes);
  add_varint(out, value.size());
  out += value;
}

void add_number(std::string& out, int field, std::int64_t value) {
  add_tag(out, field, varint);
  add_varint(out, static_cast<std::uint64_t>(value));
}

void add_fixed64(std::string& out, int field, std::uint64_t value) {
  add_tag(out, field, fixed64);
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((value >> shift) & 255u);
}

// Takes values from the front. False or none at the message's end, and for invalid bytes.
class Reader {
 public:
  explicit Reader(std::string_view message) : rest_(message) {}
  bool is_done() const { return rest_.empty(); }
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127u) << shift;
      if (byte < 128) return value;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> take(std::uint64_t size) {
    if (size > rest_.size()) return std::nullopt;
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

 private:
  std::string_view rest_;
};

// Source: tensorflow/core/framework/device_attributes.proto; values as a server of 2.21 writes them.
std::string device_attributes(const WorkerNow& worker, std::string_view name, std::string_view type) {
  const std::int64_t memory = type == "CPU" ? 256LL << 20 : 16LL << 30;
  const std::string incarnation = fingerprint(fmt::format("{}#{}#{}", worker.address.to_text(), name, worker.running_since.count()));
  std::string out;
  add_bytes(out, 1, name);
  add_bytes(out, 2, type);
  add_number(out, 4, memory);
  add_bytes(out, 5, {});  // locality
  add_fixed64(out, 6, std::strtoull(incarnation.c_str(), nullptr, 16));
  add_number(out, 8, -1);  // xla_global_id
  return out;
}

}  // namespace

std::string device_list(const WorkerNow& worker, int field, int cpu_field) {
  std::string out;
  const std::string prefix = fmt::format("/job:{}/replica:0/task:{}", worker.job, worker.task);
  const auto add = [&](std::string_view type, std::string_view id) {
    const int element = type == "CPU" && id == "0" ? cpu_field : field;
    add_bytes(out, element, device_attributes(worker, fmt::format("{}/device:{}:{}", prefix, type, id), type));
  };
  add("CPU", "0");
  for (int core = 0; core < worker.moment->cores; ++core) add("TPU", std::to_string(core));
  if (worker.moment->cores > 0) add("TPU_SYSTEM", "0");
  if (!worker.moment->devices) return out;
  for (const std::string& text : *worker.moment->devices) {
    const auto device = Device::parse("/device:" + text);
    if (device && device->type && device->id) {
      add(*device->type, std::to_string(*device->id));
    } else {
      const auto whole = Device::parse(text);
      add_bytes(out, field, device_attributes(worker, text, whole && whole->type ? *whole->type : "UNKNOWN"));
    }
  }
  return out;
}

std::string session_message(std::string_view handle) {
  std::string out;
  add_bytes(out, 1, handle);
  return out;
}

std::optional<std::string_view> bytes_field(std::string_view message, int field) {
  const std::uint64_t wanted = static_cast<std::uint64_t>(field) << 3 | bytes;
  std::string_view out;
  Reader reader(message);
  while (!reader.is_done()) {
    const auto tag = reader.number();
    if (!tag || *tag >> 3 == 0) return std::nullopt;
    std::optional<std::uint64_t> size;
    switch (*tag & 7u) {
      case varint:
        if (!reader.number()) return std::nullopt;
        size = 0;
        break;
      case fixed64: size = 8; break;
      case bytes: size = reader.number(); break;
      case fixed32: size = 4; break;
      default: break;
    }
    const auto value = size ? reader.take(*size) : std::nullopt;
    if (!value) return std::nullopt;
    if (*tag == wanted) out = *value;
  }
  return out;
}

}  // namespace rollcall::sim
