// Asks this host's folders and NVIDIA's library for accelerators, within a call.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>

#include "call/call_scope.hpp"
#include "devices/local/rules/machine_facts.hpp"
#include "rollcall/find_local_devices.hpp"

namespace rollcall {

class LocalLook {
 public:
  LocalLook() {}
  MachineFacts machine;
  NvmlOutcome nvml;
};

/// As try_find_local_devices(), before anything is counted.
asio::awaitable<Result<LocalLook>> look_at_local_devices(Call& call, std::shared_ptr<const LocalDevicesOptions> options);

}  // namespace rollcall
