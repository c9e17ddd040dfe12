// What a TensorFlow server says about one of its devices. Source: tensorflow/core/framework/device_attributes.proto.
#pragma once

#include <cstdint>
#include <string>

namespace rollcall {

class DeviceAttributes {
 public:
  DeviceAttributes() {}
  DeviceAttributes(std::string full_name, std::string type) : name(std::move(full_name)), device_type(std::move(type)) {}
  std::string name;         ///< `/job:worker/replica:0/task:0/device:TPU:0`
  std::string device_type;  ///< `TPU`, `TPU_SYSTEM`, `CPU`, `GPU`, …
  std::int64_t memory_limit = 0;   ///< bytes
  std::uint64_t incarnation = 0;   ///< changes when the server restarts
  std::string physical_device_desc;
  friend bool operator==(const DeviceAttributes&, const DeviceAttributes&) = default;
};

}  // namespace rollcall
