// A TensorFlow device: its name, parsed, and its attributes as a server reports them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// `/job:J/replica:R/task:T/device:TYPE:ID`; every part may be unspecified. Source: tensorflow device_name_utils.cc.
class Device {
 public:
  Device() {}
  /// Errors: invalid_argument naming the text: unknown component, bad job or type, a number over 2^31-1.
  static Result<Device> parse(std::string_view name);

  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> id;

  /// Canonical: unspecified parts left out, an unspecified id of a given type prints `*`.
  std::string to_text() const;
  friend bool operator==(const Device&, const Device&) = default;
};

/// A link from a device to another device of its host.
class DeviceLink {
 public:
  DeviceLink() {}
  std::int32_t device_id = 0;
  std::string type;           ///< in the platform's spelling: `SAME_DEVICE`, `StreamExecutor`, …
  std::int32_t strength = 0;  ///< larger is faster; comparable within one type
  friend bool operator==(const DeviceLink&, const DeviceLink&) = default;
};

/// Where a device is within its host. Zeros where the server does not report it.
class DeviceLocality {
 public:
  DeviceLocality() {}
  std::int32_t bus_id = 0;
  std::int32_t numa_node = 0;
  std::vector<DeviceLink> links;
  friend bool operator==(const DeviceLocality&, const DeviceLocality&) = default;
};

/// A device as a runtime lists it. Source: tensorflow.DeviceAttributes.
class DeviceAttributes {
 public:
  DeviceAttributes() {}
  DeviceAttributes(std::string full_name, std::string type) : name(std::move(full_name)), device_type(std::move(type)) {}
  std::string name;         ///< `/job:worker/replica:0/task:0/device:TPU:0`
  std::string device_type;  ///< `TPU`, `TPU_SYSTEM`, `CPU`, `GPU`, …
  std::int64_t memory_limit = 0;   ///< bytes
  DeviceLocality locality;
  std::uint64_t incarnation = 0;   ///< changes when the server restarts
  std::string physical_device_desc;
  friend bool operator==(const DeviceAttributes&, const DeviceAttributes&) = default;
};

}  // namespace rollcall
