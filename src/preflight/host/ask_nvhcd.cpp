#include "preflight/host/ask_nvhcd.hpp"

#include <fmt/format.h>

#include <asio/cancellation_state.hpp>
#include <asio/this_coro.hpp>

#include "base/duration.hpp"
#include "call/rpc_client.hpp"
#include "call/runtime_impl.hpp"
#include "preflight/host/wire/nvhcd_answer.hpp"

namespace rollcall {

asio::awaitable<Result<CommandEnd>> ask_nvhcd(Call& call, const VerdictSource& source, Duration patience) {
  const TimeSource& time = *impl_of(call).time;
  const SteadyTime deadline = time.now() + patience;
  RpcRequest request("unix://" + source.socket, std::string(nvhcd_method));
  request.message = nvhcd_request(source.arguments);
  Result<std::string> answer = co_await rpc_send(call, request, deadline, max_nvhcd_answer);
  CommandEnd end;
  if (answer) {
    end.output = std::move(*answer);
    co_return end;
  }
  // A daemon that resets the call looks like a call that was cancelled.
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) co_return answer.error();
  const bool is_late = time.now() >= deadline;
  end.failure = is_late ? fmt::format("{} did not answer within {}", request.address, duration_text(patience)) : answer.error().what();
  co_return end;
}

}  // namespace rollcall
