// Asks for one target's devices, for a report.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>

#include "render/render_devices.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::command {

/// The type of the TPU slice that `auto:` finds around this process; no worker is asked. May suspend; cancellable. Errors: those of
/// AutoResolver::choose(); failed_precondition (the environment says no type, or one that is not understood).
asio::awaitable<Result<AcceleratorType>> ask_own_type(std::shared_ptr<ClusterResolver> resolver, CallOptions options);

/// For a TPU also its cores and hosts; the slice of `auto:` is counted by its type. Of other targets the number that their members have,
/// where it is known of all. Unless TpuCallOptions asks for devices. `target`: as given. May suspend; cancellable. Errors: those of
/// TpuResolver::system_metadata(), ClusterResolver::list_devices() and ask_own_type().
asio::awaitable<Result<DeviceReport>> ask_devices(std::string target, std::shared_ptr<ClusterResolver> resolver, CallOptions options);

}  // namespace rollcall::command
