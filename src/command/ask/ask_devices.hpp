// Asks for one target's devices, for a report.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>

#include "render/render_devices.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::command {

/// For a TPU also its cores and hosts. Of other targets the number that their members have, where it is known of all, unless the options
/// say that the devices are to be listed. `target`: as given. May suspend; cancellable. Errors: those of TpuResolver::system_metadata() and
/// ClusterResolver::list_devices().
asio::awaitable<Result<DeviceReport>> ask_devices(std::string target, std::shared_ptr<ClusterResolver> resolver, CallOptions options);

}  // namespace rollcall::command
