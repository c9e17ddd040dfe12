// Checks, before anything is started, whether the processes of a launch can reach the first one.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// On the coordinator's own host: checks that its port is free, since nothing listens there yet. From any other host: checks that packets
/// reach the host and come back. A refused connection is a success (nothing listens there yet), and so is an accepted one (the first
/// process is already up). A name, a route or a host that is not there (it does not answer for 10 s) is tried again until
/// CallOptions::timeout is over, since it may appear in the first seconds of a job. A name below `.invalid` is not tried again. May
/// suspend; cancellable. Errors: failed_precondition (the port is taken, or not permitted to this user), unreachable, unknown_host,
/// resolve_timeout, connect_timeout, invalid_argument (an endpoint without a port); each names the address that was tried, the result and
/// what to do.
asio::awaitable<void> probe_coordinator(Runtime runtime, LaunchCoordinator coordinator, CallOptions options = {});
/// The same; returns the Failure instead of throwing.
asio::awaitable<Result<void>> try_probe_coordinator(Runtime runtime, LaunchCoordinator coordinator, CallOptions options = {});

}  // namespace rollcall
