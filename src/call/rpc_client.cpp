#include "call/rpc_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "call/exchange_trace.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {
namespace {

Errc code_of(RpcStatus status) {
  switch (status) {
    case RpcStatus::unavailable: return Errc::unavailable;
    case RpcStatus::deadline_exceeded: return Errc::response_timeout;
    case RpcStatus::unauthenticated: return Errc::unauthenticated;
    case RpcStatus::permission_denied: return Errc::permission_denied;
    case RpcStatus::not_found: return Errc::not_found;
    case RpcStatus::unimplemented: return Errc::unimplemented;
    case RpcStatus::resource_exhausted: return Errc::rate_limited;
    default: return Errc::rpc_error;
  }
}

Failure of_status(const RpcRequest& request, const RpcAnswer& answer) {
  std::string what = fmt::format("{} answered {} with {}", request.address, method_name(request), to_string(answer.status));
  if (!answer.status_message.empty()) what += ": " + printable(answer.status_message, 512);
  return Failure(code_of(answer.status), std::move(what)).with_phase(Phase::response).with_target(request.address);
}

}  // namespace

std::string_view method_name(const RpcRequest& request) {
  const std::string_view path = request.method;
  return path.substr(path.rfind('/') + 1);
}

std::string to_string(RpcStatus status) {
  static constexpr std::array<std::string_view, 17> names = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const auto number = static_cast<std::size_t>(status);
  return number < names.size() ? std::string(names[number]) : std::to_string(static_cast<int>(status));
}

Result<std::string> rpc_message(const RpcRequest& request, Result<RpcAnswer> answer) {
  if (answer && answer->status == RpcStatus::ok) return std::move(answer->message);
  if (answer) return of_status(request, *answer);
  Failure failure = answer.error();
  if (failure.target().empty()) failure.with_target(request.address);
  return failure;
}

asio::awaitable<Result<std::string>> rpc_send(Call& call, const RpcRequest& request, SteadyTime deadline, std::size_t max_message_bytes) {
  Runtime::Impl& impl = impl_of(call);
  if (state_of(call).is_expired) co_return Failure(Errc::deadline_exceeded, "the deadline has passed").with_target(request.address);
  const HostPermit permit = co_await impl.rpc_limiter().acquire();
  if (!permit) co_return Failure(Errc::cancelled, "cancelled").with_target(request.address);
  RpcOptions options;
  options.deadline = std::min(deadline, call.deadline());
  options.max_message_bytes = std::min(max_message_bytes, impl.limits.max_body_bytes);
  ExchangeTrace trace(call, request);
  Result<RpcAnswer> answer = co_await impl.rpc->call(request, options);
  Result<std::string> message = rpc_message(request, std::move(answer));
  trace.finish(message);
  co_return message;
}

}  // namespace rollcall
