// A session on a master, for as long as it takes to list the devices. It is closed whatever happens, cancellation included.
#pragma once

#include <vector>

#include "devices/device_query.hpp"

namespace rollcall {

/// CreateSession, ListDevices, CloseSession. `cluster`: what the session is told of; may be empty. Errors: those of rpc_send().
asio::awaitable<Result<std::vector<DeviceAttributes>>> list_devices_in_session(Call& call, const DeviceQuestion& question,
                                                                               const ClusterSpec& cluster, SteadyTime deadline);

}  // namespace rollcall
