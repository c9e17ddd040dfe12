// A worker's devices, and the messages of TensorFlow's services that list them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/workers/workers.hpp"

namespace rollcall::sim {

/// The worker's DeviceAttributes, each as element `field` of a message: CPU:0 (as element `cpu_field`), the cores, TPU_SYSTEM:0 when
/// there are cores, and what the script adds. Another life has other incarnations.
std::string device_list(const WorkerNow& worker, int field, int cpu_field);
inline std::string device_list(const WorkerNow& worker, int field) { return device_list(worker, field, field); }

/// A message whose field 1 is this text: CreateSessionResponse.
std::string session_message(std::string_view handle);

/// A text or message of a message: empty when it is not there, none when these bytes are no message.
std::optional<std::string_view> bytes_field(std::string_view message, int field);

}  // namespace rollcall::sim
