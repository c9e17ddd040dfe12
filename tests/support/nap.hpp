// Sleeps in virtual time.
#pragma once

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::testing {

/// False when cancelled.
inline asio::awaitable<Result<bool>> nap(Runtime runtime, Duration duration) {
  Runtime::Impl& impl = impl_of(runtime);
  const bool is_awake = co_await sleep_until(*impl.timers, impl.time->now() + duration);
  co_return is_awake;
}

}  // namespace rollcall::testing
