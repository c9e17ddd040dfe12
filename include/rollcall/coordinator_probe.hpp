// Asking, before anything is started, whether the processes of a launch will find the first one.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// On the coordinator's own host: its port is free, for nobody listens there yet. From any other host: packets reach the host and come
/// back. That it refuses the connection is what a host does where nobody listens yet; that it takes it, what one does where the first
/// process was quicker. A name, a route or a host that is not there (it says nothing for 10 s) is tried again until CallOptions::timeout is
/// over: in the first seconds of a job it may come. A name below `.invalid` is not. May suspend; cancellable. Errors: failed_precondition
/// (the port is taken, or not for this user), unreachable, unknown_host, resolve_timeout, connect_timeout, invalid_argument (an endpoint
/// without a port); each says who was tried, what came back and what to do.
asio::awaitable<void> probe_coordinator(Runtime runtime, LaunchCoordinator coordinator, CallOptions options = {});
/// The same; returns the Failure instead of throwing.
asio::awaitable<Result<void>> try_probe_coordinator(Runtime runtime, LaunchCoordinator coordinator, CallOptions options = {});

}  // namespace rollcall
