// TensorFlow's MasterService and WorkerService, as far as they are asked for devices.
#pragma once

#include "sim/wire/state.hpp"
#include "sim/workers/workers.hpp"

namespace rollcall::sim {

/// The answer of the worker at `place`; `now` is `context.now` on the server's clock. Sets `has_changed` when `times` of the
/// script have been used up.
RpcReply answer_rpc(const Context& context, const RpcRequest& request, SteadyTime now, const WorkerPlace& place,
                    const std::optional<RpcHeld>& held, bool& has_changed);

/// `rpc MasterService/ListDevices`.
std::string rpc_route(std::string_view method);

}  // namespace rollcall::sim
