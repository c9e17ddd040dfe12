// Asks nvhcd, a daemon of this host, for its verdict: one gRPC call on its socket, by the Runtime's RpcTransport.
#pragma once

#include <asio/awaitable.hpp>

#include "preflight/host/wire/other_verdict.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// The answer's bytes as `output`, or why there are none as `failure`. `source` must outlive the await. Errors: cancelled, by the caller.
asio::awaitable<Result<CommandEnd>> ask_nvhcd(Call& call, const VerdictSource& source, Duration patience);

}  // namespace rollcall
