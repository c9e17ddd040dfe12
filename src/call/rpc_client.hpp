// One gRPC call within a public call: a permit, tracing, conversion of the status to a failure. It does not retry: callers retry a whole
// query, which may take several calls (see ask_devices).
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "rollcall/call.hpp"
#include "rollcall/rpc.hpp"

namespace rollcall {

/// The default number of retries of a query to a master: as often as TensorFlow does [facts: tf-query-retries].
constexpr int default_question_retries = 120;

/// The answer's bytes. `deadline` bounds this call and may be earlier than the public call's. Errors: those of
/// RpcTransport::call, and one per status: unavailable (UNAVAILABLE), response_timeout (DEADLINE_EXCEEDED), unauthenticated,
/// permission_denied, not_found, unimplemented, rate_limited (RESOURCE_EXHAUSTED), rpc_error for the others. The failure's target is the
/// worker's address. An answer of more than `max_message_bytes`, or Limits::max_body_bytes if that is less, is limit_exceeded.
asio::awaitable<Result<std::string>> rpc_send(Call& call, const RpcRequest& request, SteadyTime deadline,
                                              std::size_t max_message_bytes = std::numeric_limits<std::size_t>::max());

/// The same for an answer that was received without rpc_send().
Result<std::string> rpc_message(const RpcRequest& request, Result<RpcAnswer> answer);

/// The request's name in messages: `ListDevices` of `/tensorflow.WorkerService/ListDevices`.
std::string_view method_name(const RpcRequest& request);

}  // namespace rollcall
