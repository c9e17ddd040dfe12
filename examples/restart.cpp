// Runs a job on a spot TPU for as long as it is there: starts it when the TPU is ready, stops it when it is preempted, and starts it
// again when it is back.
#include <fmt/format.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>
#include <cstdio>

#include "rollcall/tpu_resolver.hpp"
#include "rollcall/watch.hpp"

// A job that would go on for an hour.
asio::awaitable<void> run_job() {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(std::chrono::hours(1));
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<int> keep_running(rollcall::Runtime runtime) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("spot").zone("us-central2-b"));
  const auto following = rollcall::watch(tpu);
  asio::cancellation_signal stop;
  int starts = 0;
  for (;;) {
    const auto change = co_await following->try_next();
    if (!change) {
      fmt::print(stderr, "{}\n", change.error().message());
      co_return 1;
    }
    if (change->kind == rollcall::ChangeKind::cluster_ready) {
      fmt::print("start {} on {}\n", ++starts, following->status().spec().to_json());
      if (starts == 2) break;
      auto on_end = [](std::exception_ptr) { fmt::print("the job has stopped\n"); };
      asio::co_spawn(executor, run_job(), asio::bind_cancellation_slot(stop.slot(), on_end));
    } else if (change->kind == rollcall::ChangeKind::cluster_broken) {
      fmt::print("{}\n", change->text);
      stop.emit(asio::cancellation_type::terminal);
    }
  }
  co_return 0;
}

int main() {
  asio::io_context io;
  auto code = asio::co_spawn(io, keep_running(rollcall::Runtime(io.get_executor())), asio::use_future);
  io.run();
  return code.get();
}
