// What gRPC's own words about a failed call mean.
#pragma once

#include <string_view>

#include "rollcall/rpc.hpp"

namespace rollcall {

/// A status that gRPC made up itself because no server gave one, as a Failure; `is_connected`: the connection stood when the call
/// ended.
Failure local_rpc_failure(const RpcRequest& request, RpcStatus status, std::string_view message, bool is_connected);

/// limit_exceeded: what is compressed is not unpacked.
Failure compressed_answer(const RpcRequest& request);

/// True if `details` (grpc::ClientContext::debug_error_string) says that the status came from the peer as gRPC.
bool is_from_peer(RpcStatus status, std::string_view message, std::string_view details);

}  // namespace rollcall
