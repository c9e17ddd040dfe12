// Waits for a TPU that is still being made, while data is loaded on the same event loop; then "trains", writing a log.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>
#include <cstdio>
#include <fstream>

#include "rollcall/tpu_resolver.hpp"
#include "rollcall/wait.hpp"

using namespace std::chrono_literals;

asio::awaitable<void> pause(std::chrono::milliseconds duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(duration);
  co_await timer.async_wait(asio::use_awaitable);
}

// Stands for whatever the program does beside: it never has to wait for the cloud.
asio::awaitable<void> load_data(const bool& is_enough, int& shards) {
  for (; !is_enough; ++shards) co_await pause(5ms);
}

asio::awaitable<int> train(rollcall::Runtime runtime) {
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions("late").zone("us-central2-b"));
  bool is_enough = false;
  int shards = 0;
  asio::co_spawn(co_await asio::this_coro::executor, load_data(is_enough, shards), asio::detached);

  rollcall::WaitOptions options;
  options.timeout(2min).on_progress([](const rollcall::WaitProgress& progress) { fmt::print("{}\n", progress.line()); });
  const auto status = co_await rollcall::try_wait_until_ready(tpu, rollcall::usually_ready, std::move(options));
  is_enough = true;
  co_await pause(10ms);  // the loader ends
  if (!status) {
    fmt::print(stderr, "{}\n", status.error().message());
    co_return 1;
  }

  std::ofstream log("/dev/null");
  for (int step = 1; step <= 3; ++step) {
    co_await pause(5ms);
    log << "step " << step << "\n";
  }
  fmt::print("trained on {} workers; data was {} meanwhile\n", status->spec().num_tasks("worker").value(),
             shards > 10 ? "loaded" : "not loaded");
  co_return 0;
}

int main() {
  asio::io_context io;
  auto code = asio::co_spawn(io, train(rollcall::Runtime(io.get_executor())), asio::use_future);
  io.run();
  return code.get();
}
