// A flow from one member to another, for as long as a window: how much passes, and what held it up.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>

#include "call/api_client.hpp"
#include "net/server/server_exchange.hpp"
#include "rollcall/call.hpp"
#include "rollcall/preflight_evidence.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::preflight {

/// How long a flow lasts.
inline constexpr Duration flow_window = std::chrono::milliseconds(800);

/// Answers with as many bytes as pass in a window. What was sent; the receiver is left to the caller. Absent: it went before the end. May
/// suspend; cancellable.
asio::awaitable<std::optional<SentFlow>> send_flow(ServerExchange& exchange, const TimeSource& time);

/// Asks for one, and reads it; `from` and `order` are left to the caller. May suspend; cancellable. Errors: those of api_stream();
/// malformed_response: it was no flow.
asio::awaitable<Result<BandwidthMeasure>> receive_flow(Call& call, ApiRequest request);

}  // namespace rollcall::preflight
